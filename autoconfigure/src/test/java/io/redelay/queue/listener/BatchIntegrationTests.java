package io.redelay.queue.listener;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Function;

import io.redelay.queue.AckMode;
import io.redelay.queue.Acknowledgment;
import io.redelay.queue.OutboundMessage;
import io.redelay.queue.QueueHeaders;
import io.redelay.queue.QueueListener;
import io.redelay.queue.batch.BatchFailedException;
import io.redelay.test.ListenerApplication;
import io.redelay.test.QueueState;
import io.redelay.test.TestRedis;
import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import org.springframework.messaging.Message;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for listeners that take batches.
 */
class BatchIntegrationTests {

	@RegisterExtension
	static final TestRedis redis = TestRedis.shared();

	private final String queue = TestRedis.queue();

	private final QueueState state = QueueState.of(redis, this.queue);

	@Test
	void takesWhatIsThereUpToTheSizeOfABatch() {
		Batches handler = new Batches((batch) -> null);
		try (ListenerApplication application = start(handler, 4, 0)) {
			send(application, 10);
			this.state.awaitDrained();
			assertThat(handler.batches).allMatch((batch) -> batch.size() <= 4);
			assertThat(handler.all()).containsExactlyInAnyOrder("0", "1", "2", "3", "4", "5", "6", "7", "8", "9");
		}
	}

	@Test
	void waitsForABatchToBecomeFull() {
		Batches handler = new Batches((batch) -> null);
		try (ListenerApplication application = start(handler, 5, 20_000)) {
			send(application, 2);
			Awaitility.await().during(Duration.ofMillis(200)).until(handler.batches::isEmpty);
			send(application, 3);
			this.state.awaitDrained();
			assertThat(handler.batches).hasSize(1);
		}
	}

	@Test
	void doesNotWaitLongerThanItMay() {
		Batches handler = new Batches((batch) -> null);
		try (ListenerApplication application = start(handler, 5, 300)) {
			Instant before = QueueState.now(redis);
			send(application, 7);
			this.state.awaitDrained();
			assertThat(QueueState.now(redis)).isAfterOrEqualTo(before.plusMillis(300));
			assertThat(handler.batches).extracting(List::size).containsExactly(5, 2);
		}
	}

	@Test
	void aQuietQueueThatWaitsForItsBatchHoldsNoOtherQueueUp() {
		String quiet = TestRedis.queue();
		Shared handler = new Shared();
		try (ListenerApplication application = ListenerApplication.on(redis)
			.bean(handler)
			.with("queues", quiet + "," + this.queue)
			.with("redelay.queue.listener.prefetch", 0)
			.start()) {
			for (int i = 0; i < 5; i++) {
				application.queues().send(quiet, "quiet");
			}
			Awaitility.await().until(() -> QueueState.of(redis, quiet).held() == 5);
			send(application, 100);
			Awaitility.await().until(() -> handler.handled.sum() >= 90);
		}
	}

	@Test
	void whatIsLeftOfABatchIsNotForgottenWhileHandlersAreBusy() {
		// What is left begins to wait while the only handler is busy for longer than it
		// may wait.
		CountDownLatch first = new CountDownLatch(1);
		Batches handler = new Batches((batch) -> {
			awaitQuietly(first);
			return null;
		});
		try (ListenerApplication application = ListenerApplication.on(redis)
			.bean(handler)
			.with("queue", this.queue)
			.with("size", 5)
			.with("timeout", "150ms")
			.with("redelay.queue.listener.prefetch", 20)
			.start()) {
			send(application, 5);
			Awaitility.await().until(() -> handler.batches.size() == 1);
			send(application, 7);
			Awaitility.await().until(() -> this.state.held() == 12);
			Awaitility.await().during(Duration.ofMillis(300)).until(() -> handler.batches.size() == 1);
			first.countDown();
			this.state.awaitDrained();
			assertThat(handler.all()).hasSize(12);
		}
	}

	@Test
	void theMessagesOfAFailedBatchAreHandledAlone() {
		Batches handler = new Batches((batch) -> {
			if (batch.contains("3")) {
				throw new IllegalStateException("do not like 3");
			}
			return null;
		});
		try (ListenerApplication application = start(handler, 10, 20_000)) {
			send(application, 10);
			QueueState.Dead dead = this.state.awaitDead();
			this.state.awaitDrained();
			assertThat(dead.reason()).isEqualTo("FAILED");
			assertThat(dead.envelope().get("payload").asString()).isEqualTo("3");
			assertThat(dead.cause().get("failures").asInt()).isEqualTo(2);
			assertThat(handler.batches.get(0)).hasSize(10);
			assertThat(handler.batches.subList(1, 12)).allMatch((batch) -> batch.size() == 1);
			assertThat(handler.all().subList(10, 21).stream().distinct()).as("in their order")
				.containsExactly("0", "1", "2", "3", "4", "5", "6", "7", "8", "9");
			assertThat(handler.batches).as("and the failed one again").hasSize(12);
		}
	}

	@Test
	void aBatchMaySayWhichOfItsMessagesFailed() {
		Batches handler = new Batches((batch) -> {
			if (batch.contains("2")) {
				throw new BatchFailedException(Map.of(batch.indexOf("2"), new IllegalStateException("two")));
			}
			return null;
		});
		try (ListenerApplication application = start(handler, 4, 20_000)) {
			send(application, 4);
			QueueState.Dead dead = this.state.awaitDead();
			this.state.awaitDrained();
			assertThat(dead.message()).contains("two");
			assertThat(handler.all()).containsExactly("0", "1", "2", "3", "2");
		}
	}

	@Test
	void aFutureMaySayWhichMessagesOfABatchFailed() {
		Batches handler = new Batches((batch) -> CompletableFuture.supplyAsync(() -> {
			if (batch.contains("2")) {
				throw new BatchFailedException(Map.of(batch.indexOf("2"), new IllegalStateException("two")));
			}
			return null;
		}));
		try (ListenerApplication application = start(handler, 4, 20_000)) {
			send(application, 4);
			this.state.awaitDead();
			this.state.awaitDrained();
			assertThat(handler.all()).containsExactly("0", "1", "2", "3", "2");
		}
	}

	@Test
	void positionsCountWhatTheHandlerWasGiven() {
		Numbers handler = new Numbers();
		try (ListenerApplication application = start(handler, 4, 20_000)) {
			application.queues()
				.sendAll(List.of(OutboundMessage.to(this.queue, "not a number"), OutboundMessage.to(this.queue, 1),
						OutboundMessage.to(this.queue, List.of()), OutboundMessage.to(this.queue, 2)));
			List<QueueState.Dead> dead = Awaitility.await().until(this.state::dead, (all) -> all.size() == 3);
			this.state.awaitDrained();
			assertThat(dead).filteredOn((each) -> each.reason().equals("CONVERSION_FAILED"))
				.extracting((each) -> each.envelope().get("payload").toString())
				.containsExactlyInAnyOrder("\"not a number\"", "[]");
			assertThat(dead).filteredOn((each) -> each.reason().equals("FAILED"))
				.extracting((each) -> each.envelope().get("payload").asInt())
				.containsExactly(2);
			assertThat(handler.batches).containsExactly(List.of(1, 2));
		}
	}

	@Test
	void aPositionThatIsNotOfTheBatchLosesNothing() {
		Batches handler = new Batches((batch) -> {
			if (batch.size() > 1) {
				throw new BatchFailedException(Map.of(17, new IllegalStateException("who?")));
			}
			return null;
		});
		try (ListenerApplication application = start(handler, 3, 20_000)) {
			send(application, 3);
			this.state.awaitDrained();
			assertThat(this.state.dead()).isEmpty();
			assertThat(handler.batches).hasSize(4);
		}
	}

	@Test
	void aPositionThatIsNotOfTheBatchLosesNothingInAFuture() {
		Batches handler = new Batches((batch) -> (batch.size() > 1) ? CompletableFuture
			.failedFuture(new BatchFailedException(Map.of(-1, new IllegalStateException("who?")))) : null);
		try (ListenerApplication application = start(handler, 3, 20_000)) {
			send(application, 3);
			this.state.awaitDrained();
			assertThat(handler.batches).hasSize(4);
		}
	}

	@Test
	void aBatchMayBeAcknowledgedLater() {
		ManualBatches handler = new ManualBatches();
		try (ListenerApplication application = start(handler, 3, 20_000)) {
			send(application, 3);
			Awaitility.await().until(() -> !handler.acknowledgments.isEmpty());
			Awaitility.await().during(Duration.ofMillis(200)).until(() -> this.state.held() == 3);
			handler.acknowledgments.get(0).acknowledge();
			this.state.awaitDrained();
		}
	}

	@Test
	void theMessagesOfABatchMayBeSettledOneByOne() {
		SingleSettlements handler = new SingleSettlements();
		try (ListenerApplication application = start(handler, 3, 20_000)) {
			send(application, 3);
			QueueState.Dead dead = this.state.awaitDead();
			this.state.awaitDrained();
			assertThat(dead.reason()).isEqualTo("REJECTED");
			assertThat(handler.batches).hasSize(1);
		}
	}

	private static void awaitQuietly(CountDownLatch latch) {
		try {
			assertThat(latch.await(60, TimeUnit.SECONDS)).isTrue();
		}
		catch (InterruptedException ex) {
			throw new IllegalStateException(ex);
		}
	}

	private void send(ListenerApplication application, int count) {
		List<OutboundMessage> messages = new ArrayList<>();
		for (int i = 0; i < count; i++) {
			messages.add(OutboundMessage.to(this.queue, Integer.toString(i)));
		}
		application.queues().sendAll(messages);
	}

	private ListenerApplication start(Object handler, int size, int timeout) {
		return ListenerApplication.on(redis)
			.bean(handler)
			.with("queue", this.queue)
			.with("size", size)
			.with("timeout", timeout + "ms")
			.with("redelay.queue.listener.max-attempts", 2)
			.start();
	}

	static class Batches {

		final List<List<String>> batches = new CopyOnWriteArrayList<>();

		private final Function<List<String>, @Nullable Object> body;

		Batches(Function<List<String>, @Nullable Object> body) {
			this.body = body;
		}

		@QueueListener(queues = "${queue}", concurrency = "1", batchSize = "${size}", batchTimeout = "${timeout}")
		@Nullable Object handle(List<String> batch) {
			this.batches.add(batch);
			return this.body.apply(batch);
		}

		List<String> all() {
			return this.batches.stream().flatMap(List::stream).toList();
		}

	}

	static class Shared {

		final LongAdder handled = new LongAdder();

		@QueueListener(queues = "${queues}", concurrency = "1", batchSize = "10", batchTimeout = "2m")
		void handle(List<String> batch) {
			this.handled.add(batch.size());
		}

	}

	static class Numbers {

		final List<List<Integer>> batches = new CopyOnWriteArrayList<>();

		@QueueListener(queues = "${queue}", concurrency = "1", batchSize = "${size}", batchTimeout = "${timeout}",
				noRetryFor = IllegalStateException.class)
		void handle(List<Integer> batch) {
			this.batches.add(batch);
			throw new BatchFailedException(Map.of(batch.indexOf(2), new IllegalStateException("two")));
		}

	}

	static class ManualBatches {

		final List<Acknowledgment> acknowledgments = new CopyOnWriteArrayList<>();

		@QueueListener(queues = "${queue}", concurrency = "1", batchSize = "${size}", batchTimeout = "${timeout}",
				ackMode = AckMode.MANUAL)
		void handle(List<String> batch, Acknowledgment acknowledgment) {
			this.acknowledgments.add(acknowledgment);
		}

	}

	static class SingleSettlements {

		final List<Integer> batches = new CopyOnWriteArrayList<>();

		@QueueListener(queues = "${queue}", concurrency = "1", batchSize = "${size}", batchTimeout = "${timeout}",
				ackMode = AckMode.MANUAL)
		void handle(List<Message<String>> batch) {
			this.batches.add(batch.size());
			for (Message<String> message : batch) {
				Acknowledgment acknowledgment = message.getHeaders()
					.get(QueueHeaders.ACKNOWLEDGMENT, Acknowledgment.class);
				if (message.getPayload().equals("1")) {
					acknowledgment.reject("one");
				}
				else {
					acknowledgment.acknowledge();
				}
			}
		}

	}

}
