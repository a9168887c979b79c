package io.redelay.queue.actuate;

import java.util.Arrays;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

import io.redelay.autoconfigure.QueueEndpointAutoConfiguration;
import io.redelay.queue.QueueOperations;
import io.redelay.queue.admin.QueueAdmin;
import io.redelay.test.ListenerApplication;
import io.redelay.test.TestRedis;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import org.springframework.boot.actuate.autoconfigure.endpoint.EndpointAutoConfiguration;
import org.springframework.boot.actuate.endpoint.EndpointId;
import org.springframework.boot.actuate.endpoint.InvocationContext;
import org.springframework.boot.actuate.endpoint.SecurityContext;
import org.springframework.boot.actuate.endpoint.invoke.OperationInvokerAdvisor;
import org.springframework.boot.actuate.endpoint.invoke.ParameterValueMapper;
import org.springframework.boot.actuate.endpoint.web.EndpointMediaTypes;
import org.springframework.boot.actuate.endpoint.web.WebEndpointHttpMethod;
import org.springframework.boot.actuate.endpoint.web.WebEndpointResponse;
import org.springframework.boot.actuate.endpoint.web.WebOperation;
import org.springframework.boot.actuate.endpoint.web.annotation.WebEndpointDiscoverer;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.context.annotation.Configuration;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * What the endpoint of queues does below {@code /cloudfoundryapplication}: Boot's
 * {@code CloudFoundryActuatorAutoConfiguration} discovers endpoints with the
 * {@code ParameterValueMapper} of the context, but without its advisors.
 */
class CloudFoundryEndpointIntegrationTests {

	@RegisterExtension
	static final TestRedis redis = TestRedis.shared();

	private final String queue = TestRedis.queue();

	private ListenerApplication application;

	@BeforeEach
	void start() {
		this.application = ListenerApplication.on(redis)
			.beans(Endpoints.class)
			.with("management.endpoints.web.exposure.include", "queues")
			.with("management.endpoint.queues.access", "unrestricted")
			.start();
		this.application.bean(QueueOperations.class).send(this.queue, "x");
	}

	@AfterEach
	void stop() {
		this.application.close();
	}

	@Test
	void showsWhatNeedsNoParameters() {
		for (String view : List.of("history", "keys", "limits", "diagnosis", "check")) {
			assertThat(cloudFoundry(WebEndpointHttpMethod.GET, view, Map.of()).getStatus()).as(view).isEqualTo(200);
		}
		WebEndpointResponse<?> jobs = cloudFoundry(WebEndpointHttpMethod.GET, "jobs", Map.of("page", "0", "size", "7"));
		assertThat((Map<?, ?>) jobs.getBody()).as("%s", jobs.getBody()).extracting("size").isEqualTo(7);
	}

	@Test
	void pausesAndResumes() {
		QueueAdmin admin = this.application.bean(QueueAdmin.class);
		assertThat(cloudFoundry(WebEndpointHttpMethod.POST, "pause", Map.of()).getStatus()).isEqualTo(200);
		assertThat(admin.queues().info(this.queue).paused()).isTrue();
		assertThat(cloudFoundry(WebEndpointHttpMethod.POST, "resume", Map.of()).getStatus()).isEqualTo(200);
		assertThat(admin.queues().info(this.queue).paused()).isFalse();
	}

	@Test
	void refusesWhatNeedsParameters() {
		assertRefused(cloudFoundry(WebEndpointHttpMethod.GET, "messages", Map.of("tag", "red")));
		assertRefused(cloudFoundry(WebEndpointHttpMethod.POST, "limits", Map.of("maxInFlight", "3")));
		assertRefused(cloudFoundry(WebEndpointHttpMethod.POST, "jobs",
				Map.of("action", "DELETE", "tag", "red", "confirm", this.queue)));
		assertRefused(invoke(List.of(), WebEndpointHttpMethod.POST, 4,
				Map.of("queue", this.queue, "view", "messages", "id", "x", "action", "bury", "reason", "wrong")));
		assertThat(this.application.bean(QueueAdmin.class).queues().info(this.queue).ready()).isOne();
	}

	@Test
	void showsMessagesWhereBootCallsTheAdvisor() {
		assertThat(invoke(List.of(this.application.bean(RequestParametersAdvisor.class)), WebEndpointHttpMethod.GET, 2,
				Map.of("queue", this.queue, "view", "messages", "state", "READY"))
			.getStatus()).isEqualTo(200);
	}

	private static void assertRefused(WebEndpointResponse<?> response) {
		assertThat(response.getStatus()).isEqualTo(404);
		assertThat(response.getBody()).asString().contains("parameters cannot be read");
	}

	private WebEndpointResponse<?> cloudFoundry(WebEndpointHttpMethod method, String view,
			Map<String, String> parameters) {
		Map<String, Object> arguments = new HashMap<>(parameters);
		arguments.put("queue", this.queue);
		arguments.put("view", view);
		return invoke(List.of(), method, 2, arguments);
	}

	private WebEndpointResponse<?> invoke(Collection<OperationInvokerAdvisor> advisors, WebEndpointHttpMethod method,
			int selectors, Map<String, Object> arguments) {
		WebEndpointDiscoverer discoverer = new WebEndpointDiscoverer(this.application.context(),
				this.application.bean(ParameterValueMapper.class), EndpointMediaTypes.DEFAULT, null, null, advisors,
				List.of(), List.of());
		WebOperation operation = discoverer.getEndpoints()
			.stream()
			.filter((endpoint) -> endpoint.getEndpointId().equals(EndpointId.of("queues")))
			.flatMap((endpoint) -> endpoint.getOperations().stream())
			.filter((each) -> each.getRequestPredicate().getHttpMethod() == method
					&& Arrays.stream(each.getRequestPredicate().getPath().split("/"))
						.filter((part) -> part.startsWith("{"))
						.count() == selectors)
			.findFirst()
			.orElseThrow();
		return (WebEndpointResponse<?>) operation.invoke(new InvocationContext(SecurityContext.NONE, arguments));
	}

	@Configuration(proxyBeanMethods = false)
	@ImportAutoConfiguration({ EndpointAutoConfiguration.class, QueueEndpointAutoConfiguration.class })
	static class Endpoints {

	}

}
