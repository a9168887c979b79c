package io.redelay.queue.actuate;

import java.time.Duration;
import java.util.List;
import java.util.Map;

import io.redelay.autoconfigure.QueueEndpointAutoConfiguration;
import io.redelay.queue.OutboundMessage;
import io.redelay.queue.QueueListener;
import io.redelay.queue.admin.QueueAdmin;
import io.redelay.queue.bundle.Bundle;
import io.redelay.queue.bundle.BundleCallback;
import io.redelay.queue.bundle.MessageBundles;
import io.redelay.test.ListenerApplication;
import io.redelay.test.TestRedis;
import io.redelay.test.Waiting;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import org.springframework.boot.actuate.endpoint.SecurityContext;
import org.springframework.boot.actuate.endpoint.web.WebEndpointResponse;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.context.annotation.Configuration;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * What the endpoint of queues shows of bundles.
 */
class BundlesEndpointIntegrationTests {

	@RegisterExtension
	static final TestRedis redis = TestRedis.shared();

	private final String lines = TestRedis.queue();

	private final String done = TestRedis.queue();

	@Test
	void listsTheBundlesOfAQueueWithWhatBecameOfTheirMessages() {
		try (ListenerApplication application = ListenerApplication.on(redis)
			.beans(Endpoints.class, Handlers.class)
			.with("management.endpoints.web.exposure.include", "queues")
			.with("test.lines", this.lines)
			.start()) {
			MessageBundles bundles = application.bean(MessageBundles.class);
			Bundle first = bundles.open(BundleCallback.to(this.done).id("b1").keepResults());
			first.add(List.of(OutboundMessage.to(this.lines, "x"),
					OutboundMessage.to(this.lines, "y").delay(Duration.ofHours(1))));
			Waiting.await()
				.until(() -> application.bean(QueueAdmin.class)
					.queues()
					.bundle(this.done, "b1")
					.orElseThrow()
					.pending() == 1);
			first.cancelRest();
			bundles.open(BundleCallback.to(this.done).id("b2"));
			Waiting.await()
				.until(() -> application.bean(QueueAdmin.class)
					.queues()
					.bundle(this.done, "b1")
					.orElseThrow()
					.pending() == 0);
			Map<?, ?> page = (Map<?, ?>) view(application, "bundles").getBody();
			assertThat(page.get("total")).isEqualTo(2);
			List<?> shown = (List<?>) page.get("bundles");
			assertThat(shown).hasSize(2);
			Map<?, ?> one = (Map<?, ?>) shown.get(0);
			assertThat(one.get("id")).isEqualTo("b1");
			assertThat(one.get("open")).isEqualTo(true);
			assertThat(one.get("restCancelled")).isEqualTo(true);
			assertThat(one.get("total")).isEqualTo(2);
			assertThat(one.get("acknowledged")).isEqualTo(1);
			assertThat(one.get("others")).isEqualTo(1);
			assertThat(one.get("results")).isEqualTo(1);
			assertThat(one.get("resultsLeftOut")).isEqualTo(0);
			QueuesWebExtension endpoint = application.bean(QueuesWebExtension.class);
			QueueDetail detail = (QueueDetail) endpoint.queue(SecurityContext.NONE, this.done).getBody();
			assertThat(detail.bundles()).extracting((bundle) -> bundle.get("id")).containsExactly("b1", "b2");
			QueueDetail plain = (QueueDetail) endpoint.queue(SecurityContext.NONE, this.lines).getBody();
			assertThat(plain.bundles()).as("of a queue without bundles").isNull();
		}
	}

	private WebEndpointResponse<Object> view(ListenerApplication application, String what) {
		return application.bean(QueuesWebExtension.class)
			.view(SecurityContext.NONE, this.done, what, null, null, null, null);
	}

	@Configuration(proxyBeanMethods = false)
	@ImportAutoConfiguration(QueueEndpointAutoConfiguration.class)
	static class Endpoints {

	}

	static class Handlers {

		@QueueListener("${test.lines}")
		String line(String line) {
			return "handled " + line;
		}

	}

}
