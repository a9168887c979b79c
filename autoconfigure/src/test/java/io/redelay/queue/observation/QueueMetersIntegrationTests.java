package io.redelay.queue.observation;

import java.time.Duration;
import java.util.concurrent.TimeUnit;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.redelay.queue.OutboundMessage;
import io.redelay.queue.QueueListener;
import io.redelay.queue.admin.QueueAdmin;
import io.redelay.test.ListenerApplication;
import io.redelay.test.TestRedis;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for what Micrometer gets of sending, claiming, handling and settling.
 */
class QueueMetersIntegrationTests {

	@RegisterExtension
	static final TestRedis redis = TestRedis.shared();

	private final String queue = TestRedis.queue();

	private final SimpleMeterRegistry registry = new SimpleMeterRegistry();

	@Test
	void measuresEachStepOfAMessage() {
		try (ListenerApplication application = start()) {
			application.queues().send(OutboundMessage.to(this.queue, "x").delay(Duration.ofMillis(50)));
			Awaitility.await().untilAsserted(() -> assertThat(settled("acknowledged")).isOne());
			assertThat(counter("messaging.client.sent.messages", "messaging.operation.name", "send")).isOne();
			assertThat(counter("messaging.client.consumed.messages", "messaging.operation.name", "claim")).isOne();
			assertThat(this.registry.get("messaging.client.operation.duration")
				.tags("messaging.destination.name", this.queue, "messaging.operation.name", "claim", "error", "none")
				.timer()
				.count()).isPositive();
			// The time of the request is reported behind its outcome.
			Awaitility.await()
				.untilAsserted(() -> assertThat(this.registry.get("messaging.client.operation.duration")
					.tags("messaging.destination.name", this.queue, "messaging.operation.name", "settle")
					.timer()
					.count()).isPositive());
			assertThat(this.registry.get("redelay.queue.wait")
				.tags("messaging.destination.name", this.queue)
				.timer()
				.count()).isOne();
			assertThat(this.registry.get("redelay.queue.handling")
				.tags("messaging.destination.name", this.queue, "redelay.outcome", "handled")
				.timer()
				.totalTime(TimeUnit.NANOSECONDS)).isPositive();
			assertThat(settled("dead")).isZero();
		}
	}

	@Test
	void reportsHowLateMessagesAre() {
		try (ListenerApplication sender = ListenerApplication.on(redis).start()) {
			sender.queues().send(this.queue, "x");
		}
		Awaitility.await().pollDelay(Duration.ofMillis(300)).until(() -> true);
		try (ListenerApplication application = start()) {
			Awaitility.await().untilAsserted(() -> assertThat(settled("acknowledged")).isOne());
			assertThat(this.registry.get("redelay.queue.wait").timer().max(TimeUnit.MILLISECONDS))
				.isGreaterThanOrEqualTo(250);
		}
	}

	@Test
	void countsFailuresByTheirCauseAndOutcomesOfMessages() {
		try (ListenerApplication application = start()) {
			application.queues().send(OutboundMessage.to(this.queue, "fail").maxAttempts(2));
			Awaitility.await().untilAsserted(() -> assertThat(settled("dead")).isOne());
			Awaitility.await().untilAsserted(() -> {
				assertThat(settled("retried")).isOne();
				assertThat(counter("redelay.queue.failures", "error", "IllegalStateException")).isEqualTo(2);
			});
			Awaitility.await()
				.untilAsserted(() -> assertThat(
						this.registry.get("redelay.queue.handling").tags("redelay.outcome", "failed").timer().count())
					.isEqualTo(2));
		}
	}

	@Test
	void measuresNothingIfItIsSwitchedOff() {
		try (ListenerApplication application = application().with("redelay.metrics.enabled", "false").start()) {
			application.queues().send(this.queue, "x");
			Awaitility.await().until(() -> application.bean(QueueAdmin.class).queues().info(this.queue).ready() == 0);
			assertThat(this.registry.getMeters()).noneMatch((meter) -> meter.getId().getName().startsWith("redelay.")
					|| meter.getId().getName().startsWith("messaging."));
		}
	}

	private double settled(String outcome) {
		return counter("redelay.queue.settled", "redelay.outcome", outcome);
	}

	private double counter(String name, String tag, String value) {
		Counter counter = this.registry.find(name).tags("messaging.destination.name", this.queue, tag, value).counter();
		return (counter != null) ? counter.count() : -1;
	}

	private ListenerApplication start() {
		return application().start();
	}

	private ListenerApplication.Builder application() {
		return ListenerApplication.on(redis)
			.bean(new Listener())
			.bean("meters", this.registry)
			.with("queue", this.queue)
			.with("redelay.queue.listener.backoff.initial-interval", "10ms");
	}

	static class Listener {

		@QueueListener("${queue}")
		void handle(String text) {
			if (text.equals("fail")) {
				throw new IllegalStateException("fails");
			}
		}

	}

}
