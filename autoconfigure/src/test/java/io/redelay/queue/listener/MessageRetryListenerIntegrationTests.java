package io.redelay.queue.listener;

import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

import io.redelay.queue.Acknowledgment;
import io.redelay.queue.Backoff;
import io.redelay.queue.DeathReason;
import io.redelay.queue.OutboundMessage;
import io.redelay.queue.QueueListener;
import io.redelay.queue.work.DeliveryInfo;
import io.redelay.test.ListenerApplication;
import io.redelay.test.QueueState;
import io.redelay.test.TestRedis;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.RegisterExtension;

import org.springframework.boot.logging.LogLevel;
import org.springframework.boot.logging.LoggingSystem;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.core.annotation.Order;
import org.springframework.messaging.Message;
import org.springframework.util.backoff.BackOff;
import org.springframework.util.backoff.FixedBackOff;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link MessageRetryListener}, for backoffs of beans, and for what the log
 * says of failures.
 */
@ExtendWith(OutputCaptureExtension.class)
class MessageRetryListenerIntegrationTests {

	@RegisterExtension
	static final TestRedis redis = TestRedis.shared();

	private final String queue = TestRedis.queue();

	private final QueueState state = QueueState.of(redis, this.queue);

	private final Reported reported = new Reported();

	@Test
	void isNotifiedOfAttemptsAndOfTheirEnd() {
		try (ListenerApplication application = start(builder())) {
			application.queues().send(OutboundMessage.to(this.queue, "fail").id("seven"));
			this.state.awaitDead();
			assertThat(this.reported.events).containsExactly("1 seven retry no 1 in PT0.001S",
					"2 seven retry no 2 in PT0.001S", "3 seven dead FAILED no 3");
		}
	}

	@Test
	void isNotifiedOfEachKindOfEnd() {
		try (ListenerApplication application = start(builder())) {
			application.queues().send(OutboundMessage.to(this.queue, "recover").id("one"));
			this.state.awaitDrained();
			application.queues().send(OutboundMessage.to(this.queue, "nack").id("two").maxAttempts(2));
			this.state.awaitDead();
			application.queues().send(OutboundMessage.to(this.queue, "reject").id("three"));
			this.state.awaitDrained();
			this.state.put("four", "{\"payload\":");
			application.queues().send(OutboundMessage.to(this.queue, "fine"));
			this.state.awaitDrained();
			assertThat(this.reported.events).hasSize(5);
			assertThat(this.reported.events.subList(0, 2)).containsExactly("1 one recovered no 1",
					"1 two retry The handler said so in PT0S");
			assertThat(this.reported.events.get(2)).startsWith("2 two dead FAILED");
			assertThat(this.reported.events.get(3)).isEqualTo("1 three dead REJECTED null");
			assertThat(this.reported.events.get(4)).startsWith("1 four dead CONVERSION_FAILED");
		}
	}

	@Test
	void oneThatThrowsBreaksNothing(CapturedOutput output) {
		try (ListenerApplication application = start(builder().bean(new Throwing()))) {
			application.queues().send(OutboundMessage.to(this.queue, "fail").id("seven"));
			this.state.awaitDead();
			assertThat(this.reported.events).hasSize(3);
			assertThat(output).contains("A MessageRetryListener of the type " + Throwing.class.getName() + " failed");
		}
	}

	@Test
	void areNotifiedInTheirOrder() {
		List<String> order = new CopyOnWriteArrayList<>();
		try (ListenerApplication application = start(builder().bean(new Second(order)).bean(new First(order)))) {
			application.queues().send(OutboundMessage.to(this.queue, "reject"));
			this.state.awaitDead();
			assertThat(order).containsExactly("first", "second");
		}
	}

	@Test
	void aFailedAttemptIsOneLineAndADeathHasItsStack(CapturedOutput output) {
		try (ListenerApplication application = start(builder())) {
			application.queues().send(OutboundMessage.to(this.queue, "lines").id("lines-" + this.queue).maxAttempts(2));
			this.state.awaitDead();
			String line = "lines-" + this.queue + "' of the queue '" + this.queue
					+ "' failed (1 of 2 attempts) and is tried again in PT0.001S: java.io.IOException: one two";
			assertThat(output.getAll().lines().filter((each) -> each.contains("lines-" + this.queue))).satisfiesExactly(
					(each) -> assertThat(each).contains("WARN").endsWith(line),
					(each) -> assertThat(each).contains("ERROR").contains("is dead (FAILED)"));
			assertThat(output.getAll()
				.lines()
				.filter((each) -> each.startsWith("io.redelay.log.PlainFailure: java.io.IOException: one"))).hasSize(1);
		}
	}

	@Test
	void theStackOfAFailedAttemptIsLoggedAtDebug(CapturedOutput output) {
		LoggingSystem logging = LoggingSystem.get(getClass().getClassLoader());
		try (ListenerApplication application = start(builder())) {
			logging.setLogLevel("io.redelay.queue.failure", LogLevel.DEBUG);
			application.queues().send(OutboundMessage.to(this.queue, "lines").maxAttempts(2));
			this.state.awaitDead();
			assertThat(output.getAll()
				.lines()
				.filter((each) -> each.startsWith("io.redelay.log.PlainFailure: java.io.IOException: one"))).hasSize(2);
		}
		finally {
			logging.setLogLevel("io.redelay.queue.failure", null);
		}
	}

	@Test
	void aBeanSaysHowLongToWaitAndWhenToStop() {
		Backed handler = new Backed();
		try (ListenerApplication application = start(
				ListenerApplication.on(redis).bean(handler).bean("slow", new FixedBackOff(60, 2)))) {
			application.queues().send(this.queue, "x");
			QueueState.Dead dead = this.state.awaitDead();
			assertThat(dead.message()).contains("Failed 3 times");
			assertThat(handler.times).hasSize(3);
			assertThat(handler.times.get(2) - handler.times.get(0)).isGreaterThanOrEqualTo(120);
		}
	}

	@Test
	void aPropertyOfTheQueueGoesBeforeTheBeanOfTheAnnotation() {
		Backed handler = new Backed();
		try (ListenerApplication application = start(ListenerApplication.on(redis)
			.bean(handler)
			.bean("slow", new FixedBackOff(60_000, 9))
			.bean("none", new FixedBackOff(1, 0))
			.with("redelay.queue.queues[" + this.queue + "].backoff.bean", "none"))) {
			application.queues().send(this.queue, "x");
			assertThat(this.state.awaitDead().message()).contains("Failed once, with: ");
		}
		String other = TestRedis.queue();
		try (ListenerApplication application = ListenerApplication.on(redis)
			.bean(new Backed())
			.bean("slow", new FixedBackOff(60_000, 9))
			.with("queue", other)
			.with("redelay.queue.queues[" + other + "].backoff.initial-interval", "1ms")
			.with("redelay.queue.queues[" + other + "].max-attempts", "2")
			.start()) {
			application.queues().send(other, "x");
			assertThat(QueueState.of(redis, other).awaitDead().message()).contains("Failed 2 times");
		}
	}

	@Test
	void aBackOffThatThrowsLosesNothing(CapturedOutput output) {
		BackOff broken = () -> {
			throw new IllegalStateException("broken");
		};
		Backed handler = new Backed();
		try (ListenerApplication application = start(
				ListenerApplication.on(redis).bean(handler).bean(this.reported).bean("slow", broken))) {
			application.queues().send(OutboundMessage.to(this.queue, "x").maxAttempts(2));
			assertThat(this.state.awaitDead().message()).contains("Failed 2 times");
			assertThat(output).contains("It cannot be said how the handling of the message");
			assertThat(this.reported.events).hasSize(2);
		}
	}

	private ListenerApplication.Builder builder() {
		return ListenerApplication.on(redis)
			.bean(new Handler())
			.bean(this.reported)
			.bean(QueueErrorHandler.DEFAULT_BEAN_NAME, new Recovering());
	}

	private ListenerApplication start(ListenerApplication.Builder builder) {
		return builder.with("queue", this.queue).start();
	}

	static class Handler {

		@QueueListener(queues = "${queue}", maxAttempts = "3")
		void handle(String what, DeliveryInfo info, Acknowledgment acknowledgment) throws IOException {
			switch (what) {
				case "fail", "recover" -> throw new IllegalStateException("no " + info.attempt());
				case "nack" -> acknowledgment.nack(Duration.ZERO);
				case "reject" -> acknowledgment.reject("rejected");
				case "lines" -> throw new IOException("one\n two");
				default -> {
				}
			}
		}

	}

	static class Recovering implements QueueErrorHandler {

		@Override
		public void handle(Message<?> message, Throwable failure) throws Throwable {
			if (!message.getPayload().equals("recover")) {
				throw failure;
			}
		}

	}

	static class Backed {

		final List<Long> times = new CopyOnWriteArrayList<>();

		@QueueListener(queues = "${queue}", maxAttempts = "10", backoff = @Backoff(bean = "slow"))
		void handle() throws IOException {
			this.times.add(QueueState.now(redis).toEpochMilli());
			throw new IOException();
		}

	}

	static class Reported implements MessageRetryListener {

		final List<String> events = new CopyOnWriteArrayList<>();

		@Override
		public void onRetry(DeliveryInfo delivery, Throwable failure, Duration delay) {
			report(delivery, "retry " + failure.getMessage() + " in " + delay);
		}

		@Override
		public void onRecovered(DeliveryInfo delivery, Throwable failure) {
			report(delivery, "recovered " + failure.getMessage());
		}

		@Override
		public void onDead(DeliveryInfo delivery, DeathReason reason, @Nullable Throwable failure) {
			report(delivery, "dead " + reason + " " + ((failure != null) ? failure.getMessage() : null));
		}

		private void report(DeliveryInfo delivery, String what) {
			this.events.add(delivery.attempt() + " " + delivery.id() + " " + what);
		}

	}

	@Order(0)
	static class Throwing implements MessageRetryListener {

		@Override
		public void onRetry(DeliveryInfo delivery, Throwable failure, Duration delay) {
			throw new IllegalStateException("a listener");
		}

		@Override
		public void onDead(DeliveryInfo delivery, DeathReason reason, @Nullable Throwable failure) {
			throw new AssertionError("a listener");
		}

	}

	@Order(1)
	record First(List<String> order) implements MessageRetryListener {

		@Override
		public void onDead(DeliveryInfo delivery, DeathReason reason, @Nullable Throwable failure) {
			this.order.add("first");
		}

	}

	@Order(2)
	record Second(List<String> order) implements MessageRetryListener {

		@Override
		public void onDead(DeliveryInfo delivery, DeathReason reason, @Nullable Throwable failure) {
			this.order.add("second");
		}

	}

}
