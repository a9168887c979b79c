package io.redelay.queue.listener;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;

import io.redelay.queue.FailedAttempt;
import io.redelay.queue.MessageBackoff;
import io.redelay.queue.MessageSendException;
import io.redelay.queue.OutboundMessage;
import io.redelay.queue.QueueHeaders;
import io.redelay.queue.QueueListener;
import io.redelay.queue.SendResult;
import io.redelay.test.ListenerApplication;
import io.redelay.test.QueueState;
import io.redelay.test.TestRedis;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

import org.springframework.messaging.handler.annotation.Header;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/**
 * Tests for what a sender decides about the handling of its message, in place of the
 * listener.
 */
class MessageOptionsIntegrationTests {

	@RegisterExtension
	static final TestRedis redis = TestRedis.shared();

	private final String queue = TestRedis.queue();

	private final QueueState state = QueueState.of(redis, this.queue);

	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void aMessageWaitsAsItsSenderSaysAndNotAsItsListener() {
		Failing handler = new Failing();
		try (ListenerApplication application = listener(handler)
			.with("redelay.queue.listener.backoff.initial-interval", "1h")
			.with("redelay.queue.listener.backoff.max-interval", "1h")
			.start()) {
			application.queues()
				.send(OutboundMessage.to(this.queue, "x")
					.backoff(MessageBackoff.fixed(Duration.ofMillis(300)))
					.maxAttempts(3));
			this.state.awaitDead();
			assertThat(handler.calls).hasSize(3);
			assertThat(handler.pauseMillis(1)).isGreaterThanOrEqualTo(300);
			assertThat(handler.pauseMillis(2)).isGreaterThanOrEqualTo(300);
		}
	}

	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void theWaitsGrowAsTheSenderSays() {
		Failing handler = new Failing();
		try (ListenerApplication application = listener(handler).start()) {
			application.queues()
				.send(OutboundMessage.to(this.queue, "x")
					.backoff(new MessageBackoff(Duration.ofMillis(50), 4, Duration.ofMillis(150), 0))
					.maxAttempts(3));
			this.state.awaitDead();
			assertThat(handler.pauseMillis(1)).isGreaterThanOrEqualTo(50);
			assertThat(handler.pauseMillis(2)).isGreaterThanOrEqualTo(150);
		}
	}

	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void aMessageMayTakeAsLongAsItsSenderSays() {
		Hanging handler = new Hanging();
		try (ListenerApplication application = listener(handler).start()) {
			application.queues()
				.send(OutboundMessage.to(this.queue, "x").maxHandlingTime(Duration.ofMillis(123)).maxAttempts(1));
			assertThat(this.state.awaitDead().message()).contains("PT0.123S");
			Awaitility.await().untilAsserted(() -> assertThat(handler.interrupted.getCount()).isZero());
		}
	}

	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void ofABatchTheShortestLimitCounts() {
		HangingBatch handler = new HangingBatch();
		try (ListenerApplication application = listener(handler).with("redelay.queue.listener.max-handling-time", "1h")
			.start()) {
			application.queues()
				.sendAll(List.of(OutboundMessage.to(this.queue, "long").maxAttempts(1),
						OutboundMessage.to(this.queue, "short")
							.maxHandlingTime(Duration.ofMillis(123))
							.maxAttempts(1)));
			Awaitility.await()
				.untilAsserted(() -> assertThat(this.state.dead()).hasSize(2)
					.allSatisfy((dead) -> assertThat(dead.message()).contains("PT0.123S")));
		}
	}

	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void aDeadLetterKeepsItsPayloadTypeAndNotWhatBoundItsHandling() {
		String target = this.queue + ".failed";
		DeadLetters handler = new DeadLetters();
		try (ListenerApplication application = ListenerApplication.on(redis)
			.bean(new Failing())
			.bean(handler)
			.with("queue", this.queue)
			.with("target", target)
			.with("redelay.queue.queues." + this.queue + ".dead-letter-queue", target)
			.start()) {
			application.queues()
				.send(OutboundMessage.to(this.queue, "x")
					.payloadType("order-placed")
					.maxHandlingTime(Duration.ofMillis(1))
					.maxAttempts(1));
			Awaitility.await().untilAsserted(() -> assertThat(handler.types).containsExactly("order-placed"));
			QueueState.of(redis, target).awaitDrained();
		}
	}

	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void aMessageThatDiesGoesToTheQueueThatItsSenderNamed() {
		String target = this.queue + ".failed";
		Letters handler = new Letters();
		try (ListenerApplication application = ListenerApplication.on(redis)
			.bean(new Failing())
			.bean(handler)
			.with("queue", this.queue)
			.with("target", target)
			.with("redelay.queue.queues." + this.queue + ".dead-letter-queue", this.queue + ".others")
			.start()) {
			SendResult sent = application.queues()
				.send(OutboundMessage.to(this.queue, "x").deadLetterQueue(target).header("tenant", "a").maxAttempts(2));
			Awaitility.await().untilAsserted(() -> assertThat(handler.letters).hasSize(1));
			assertThat(handler.letters.get(0))
				.isEqualTo("x of a, once " + sent.id() + " of " + this.queue + ", FAILED after 2: no");
			this.state.awaitDrained();
			assertThat(this.state.dead()).isEmpty();
			QueueState.of(redis, target).awaitDrained();
		}
	}

	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void whatExpiresOrCannotBeConvertedIsHandedOnToo() {
		String target = this.queue + ".failed";
		QueueState failed = QueueState.of(redis, target);
		try (ListenerApplication application = listener(new Numbers()).start()) {
			application.queues()
				.send(OutboundMessage.to(this.queue, List.of("no number")).deadLetterQueue(target).id("converted"));
			Awaitility.await().untilAsserted(() -> assertThat(failed.messages()).hasSize(1));
			this.state.awaitDrained();
			assertThat(this.state.dead()).isEmpty();
			assertThat(failed.raw())
				.allSatisfy((raw) -> assertThat(raw).contains("CONVERSION_FAILED", "\"converted\""));
		}
	}

	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void aDeadLetterQueueThatCannotBeIsRefused() {
		try (ListenerApplication application = ListenerApplication.on(redis).start()) {
			OutboundMessage message = OutboundMessage.to(this.queue, "x");
			assertThatThrownBy(() -> message.deadLetterQueue(this.queue)).hasMessageContaining("'deadLetterQueue'");
			assertThatThrownBy(() -> message.deadLetterQueue("no queue!")).hasMessageContaining("no queue!");
			assertThatThrownBy(() -> application.queues()
				.send(message.orderingKey("k").deadHoldsKey(true).deadLetterQueue(this.queue + ".failed")))
				.isInstanceOf(MessageSendException.class)
				.hasMessageContaining("leave out deadLetterQueue or deadHoldsKey");
		}
	}

	private ListenerApplication.Builder listener(Object handler) {
		return ListenerApplication.on(redis).bean(handler).with("queue", this.queue);
	}

	static class Failing {

		final List<Long> calls = new CopyOnWriteArrayList<>();

		@QueueListener(queues = "${queue}", concurrency = "1")
		void handle(String payload) {
			this.calls.add(System.nanoTime());
			throw new IllegalStateException("no");
		}

		long pauseMillis(int call) {
			return Duration.ofNanos(this.calls.get(call) - this.calls.get(call - 1)).toMillis();
		}

	}

	static class Hanging {

		final CountDownLatch interrupted = new CountDownLatch(1);

		@QueueListener(queues = "${queue}", concurrency = "1")
		void handle(String payload) throws InterruptedException {
			try {
				new CountDownLatch(1).await();
			}
			finally {
				this.interrupted.countDown();
			}
		}

	}

	static class Letters {

		final List<String> letters = new CopyOnWriteArrayList<>();

		@QueueListener(queues = "${target}", concurrency = "1")
		void handle(String payload, @Header("tenant") String tenant, @Header(QueueHeaders.ORIGINAL_ID) String id,
				@Header(QueueHeaders.ORIGINAL_QUEUE) String queue, FailedAttempt death) {
			this.letters.add(payload + " of " + tenant + ", once " + id + " of " + queue + ", " + death.reason()
					+ " after " + death.failures() + ": " + death.message().replaceAll(".*: ", ""));
		}

	}

	static class Numbers {

		@QueueListener(queues = "${queue}", concurrency = "1")
		void handle(int number) {
		}

	}

	static class HangingBatch {

		@QueueListener(queues = "${queue}", concurrency = "1", batchSize = "2", batchTimeout = "10s")
		void handle(List<String> payloads) throws InterruptedException {
			new CountDownLatch(1).await();
		}

	}

	static class DeadLetters {

		final List<String> types = new CopyOnWriteArrayList<>();

		@QueueListener(queues = "${target}", concurrency = "1")
		void handle(String payload, @Header(QueueHeaders.PAYLOAD_TYPE) String type) {
			this.types.add(type);
		}

	}

}
