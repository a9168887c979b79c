package io.redelay.queue.listener;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.stream.IntStream;

import io.redelay.queue.AckMode;
import io.redelay.queue.OutboundMessage;
import io.redelay.queue.QueueListener;
import io.redelay.queue.work.DeliveryInfo;
import io.redelay.test.ListenerApplication;
import io.redelay.test.QueueState;
import io.redelay.test.TestRedis;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for messages that are acknowledged before they are handled.
 */
class AtMostOnceIntegrationTests {

	@RegisterExtension
	static final TestRedis redis = TestRedis.shared();

	private final String queue = TestRedis.queue();

	private final QueueState state = QueueState.of(redis, this.queue);

	private final Lost lost = new Lost();

	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void theMessageIsGoneFromRedisBeforeItsHandlerStarts() {
		Looking handler = new Looking(this.state);
		try (ListenerApplication application = start(handler)) {
			IntStream.range(0, 20).forEach((number) -> application.queues().send(this.queue, "m" + number));
			Awaitility.await().untilAsserted(() -> assertThat(handler.there).hasSize(20));
			assertThat(handler.there).containsOnly(false);
		}
	}

	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void aMessageWhoseHandlerFailsIsNotDeliveredAgainAndReported() {
		Failing handler = new Failing();
		try (ListenerApplication application = start(handler)) {
			application.queues().send(this.queue, "thrown");
			application.queues().send(this.queue, "future");
			application.queues().send(OutboundMessage.to(this.queue, "well").id("well"));
			Awaitility.await().untilAsserted(() -> assertThat(this.lost.failures).hasSize(2));
			this.state.awaitDrained();
			assertThat(handler.calls).containsExactlyInAnyOrder("thrown", "future", "well");
			assertThat(this.lost.failures).containsExactlyInAnyOrder("thrown", "future");
			assertThat(this.state.dead()).isEmpty();
		}
	}

	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void whatTheErrorHandlerDealsWithIsNotLost() {
		List<String> dealtWith = new CopyOnWriteArrayList<>();
		QueueErrorHandler errors = (message, failure) -> {
			if ("thrown".equals(failure.getMessage())) {
				dealtWith.add(failure.getMessage());
			}
			else {
				throw failure;
			}
		};
		try (ListenerApplication application = ListenerApplication.on(redis)
			.bean(new Failing())
			.bean("queueErrorHandler", errors)
			.bean(this.lost)
			.with("queue", this.queue)
			.start()) {
			application.queues().send(this.queue, "thrown");
			application.queues().send(this.queue, "future");
			Awaitility.await().untilAsserted(() -> assertThat(this.lost.failures).containsExactly("future"));
			Awaitility.await().untilAsserted(() -> assertThat(dealtWith).containsExactly("thrown"));
		}
	}

	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void noMoreIsTakenThanHandlersMayRun() {
		Blocking handler = new Blocking();
		try (ListenerApplication application = start(handler)) {
			IntStream.range(0, 10).forEach((number) -> application.queues().send(this.queue, "m" + number));
			Awaitility.await().untilAsserted(() -> assertThat(handler.begun).hasSize(2));
			Awaitility.await()
				.during(Duration.ofMillis(300))
				.untilAsserted(() -> assertThat(this.state.messages()).hasSize(8));
			assertThat(this.state.held()).isZero();
			handler.released.countDown();
			this.state.awaitDrained();
			Awaitility.await().untilAsserted(() -> assertThat(handler.ended).hasSize(10));
		}
	}

	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void aStopWaitsForHandlersThatRun() {
		Blocking handler = new Blocking();
		try (ListenerApplication application = start(handler)) {
			IntStream.range(0, 5).forEach((number) -> application.queues().send(this.queue, "m" + number));
			Awaitility.await().untilAsserted(() -> assertThat(handler.begun).hasSize(2));
			CompletableFuture<Void> stopped = application.bean(QueueListeners.class).stop("blocking");
			Awaitility.await().during(Duration.ofMillis(300)).until(() -> !stopped.isDone());
			handler.released.countDown();
			stopped.join();
			assertThat(handler.ended).hasSize(2);
			assertThat(this.state.messages()).hasSize(3);
		}
	}

	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void ofABatchThatFailsNothingIsDeliveredAgain() {
		Batches handler = new Batches();
		try (ListenerApplication application = start(handler)) {
			application.queues()
				.sendAll(List.of(OutboundMessage.to(this.queue, 1), OutboundMessage.to(this.queue, 2),
						OutboundMessage.to(this.queue, List.of("no number"))));
			Awaitility.await().untilAsserted(() -> assertThat(this.lost.failures).hasSize(3));
			this.state.awaitDrained();
			assertThat(handler.calls).containsExactly(List.of(1, 2));
		}
	}

	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void aHandlerThatTakesTooLongIsInterruptedAndItsMessageLost() {
		Blocking handler = new Blocking();
		try (ListenerApplication application = start(handler)) {
			application.queues().send(OutboundMessage.to(this.queue, "m").maxHandlingTime(Duration.ofMillis(100)));
			Awaitility.await().untilAsserted(() -> assertThat(this.lost.failures).hasSize(1));
			this.state.awaitDrained();
		}
	}

	private ListenerApplication start(Object handler) {
		return ListenerApplication.on(redis).bean(handler).bean(this.lost).with("queue", this.queue).start();
	}

	static class Lost implements MessageRetryListener {

		final List<String> failures = new CopyOnWriteArrayList<>();

		@Override
		public void onLost(DeliveryInfo delivery, Throwable failure) {
			this.failures.add(String.valueOf(failure.getMessage()));
		}

	}

	static class Looking {

		final List<Boolean> there = new CopyOnWriteArrayList<>();

		private final QueueState state;

		Looking(QueueState state) {
			this.state = state;
		}

		@QueueListener(queues = "${queue}", ackMode = AckMode.BEFORE_HANDLING)
		void handle(String payload, DeliveryInfo info) {
			this.there.add(this.state.messages().containsKey(info.uid()));
		}

	}

	static class Failing {

		final List<String> calls = new CopyOnWriteArrayList<>();

		@QueueListener(queues = "${queue}", ackMode = AckMode.BEFORE_HANDLING)
		CompletableFuture<Void> handle(String payload) {
			this.calls.add(payload);
			return switch (payload) {
				case "thrown" -> throw new IllegalStateException("thrown");
				case "future" -> CompletableFuture.failedFuture(new IllegalStateException("future"));
				default -> CompletableFuture.completedFuture(null);
			};
		}

	}

	static class Blocking {

		final List<String> begun = new CopyOnWriteArrayList<>();

		final List<String> ended = new CopyOnWriteArrayList<>();

		final CountDownLatch released = new CountDownLatch(1);

		@QueueListener(id = "blocking", queues = "${queue}", ackMode = AckMode.BEFORE_HANDLING, concurrency = "2",
				prefetch = "0")
		void handle(String payload) throws InterruptedException {
			this.begun.add(payload);
			this.released.await();
			this.ended.add(payload);
		}

	}

	static class Batches {

		final List<List<Integer>> calls = new CopyOnWriteArrayList<>();

		@QueueListener(queues = "${queue}", ackMode = AckMode.BEFORE_HANDLING, batchSize = "3", batchTimeout = "10s",
				concurrency = "1")
		void handle(List<Integer> numbers) {
			this.calls.add(numbers);
			throw new IllegalStateException("no");
		}

	}

}
