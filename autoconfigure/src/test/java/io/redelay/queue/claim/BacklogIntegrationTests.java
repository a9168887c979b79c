package io.redelay.queue.claim;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.IntSupplier;
import java.util.stream.IntStream;

import io.redelay.queue.AckMode;
import io.redelay.queue.Acknowledgment;
import io.redelay.queue.OutboundMessage;
import io.redelay.queue.QueueListener;
import io.redelay.test.ListenerApplication;
import io.redelay.test.QueueState;
import io.redelay.test.TestRedis;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.redisson.client.codec.StringCodec;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for how a container works off what has piled up.
 */
class BacklogIntegrationTests {

	private static final int MESSAGES = 20_000;

	private static final int LATER = -1;

	@RegisterExtension
	static final TestRedis redis = TestRedis.shared();

	private final String queue = TestRedis.queue();

	@Test
	void aSecondLaneHelpsWhileThereIsMuchAndIsGivenUpAfterwards() {
		Numbers handler = new Numbers(this::lanes, 2);
		try (ListenerApplication application = start(handler, "8")) {
			application.container().start();
			Awaitility.await().until(() -> handler.lanes.get() == 2);
			QueueState.of(redis, this.queue).awaitDrained();
			assertThat(handler.handled).hasSize(MESSAGES).doesNotHaveDuplicates();
			Awaitility.await().until(() -> lanes() == 1);
		}
		assertThat(lanes()).isZero();
	}

	@Test
	void oneHandlerAtATimeKeepsTheOrder() {
		Numbers handler = new Numbers(this::lanes, 1);
		try (ListenerApplication application = start(handler, "1")) {
			application.container().start();
			QueueState.of(redis, this.queue).awaitDrained();
			assertThat(handler.handled).isEqualTo(IntStream.range(0, MESSAGES).boxed().toList());
			assertThat(handler.lanes.get()).isOne();
		}
	}

	@Test
	void whatWaitsForASlowHandlerGoesBackInOrder() {
		Blocked handler = new Blocked(100);
		QueueState state = QueueState.of(redis, this.queue);
		try (ListenerApplication application = ListenerApplication.on(redis)
			.bean(handler)
			.with("queue", this.queue)
			.start()) {
			send(application, 0, 100);
			state.awaitDrained();
			for (int first = 100; first < 200; first += 10) {
				send(application, first, first + 10);
				// What comes later waits for less long.
				Awaitility.await().during(Duration.ofMillis(200)).until(() -> handler.handled.size() == 101);
			}
			Awaitility.await().until(() -> state.held() == 1);
			handler.end.countDown();
			state.awaitDrained();
			assertThat(handler.handled).isEqualTo(IntStream.range(0, 200).boxed().toList());
		}
	}

	@Test
	void batchesAreFull() {
		Batches handler = new Batches();
		try (ListenerApplication application = start(handler, "4")) {
			application.container().start();
			QueueState.of(redis, this.queue).awaitDrained();
			assertThat(handler.sizes).hasSize(MESSAGES / 100).containsOnly(100);
		}
	}

	@Test
	void whatIsAcknowledgedIsSettledAlthoughOthersAreStillInHand() {
		Acknowledgments handler = new Acknowledgments();
		QueueState state = QueueState.of(redis, this.queue);
		try (ListenerApplication application = start(handler, "4")) {
			application.container().start();
			state.awaitDrained();
			application.queues()
				.sendAll(IntStream.of(LATER, LATER)
					.mapToObj((number) -> OutboundMessage.to(this.queue, number))
					.toList());
			Awaitility.await().until(() -> handler.waiting.size() == 2 && sleepers() == 1);
			handler.waiting.get(0).acknowledge();
			Awaitility.await().until(() -> state.held() == 1);
			handler.waiting.get(1).acknowledge();
			state.awaitDrained();
		}
	}

	@Test
	void whatStaysInHandMakesNoOtherWait() throws InterruptedException {
		Acknowledgments handler = new Acknowledgments();
		QueueState state = QueueState.of(redis, this.queue);
		try (ListenerApplication application = start(handler, "4")) {
			application.container().start();
			state.awaitDrained();
			double ratio = Double.MAX_VALUE;
			// What else the machine does may slow one measurement down, but hardly
			// the second one each time.
			for (int i = 1; i <= 10 && ratio >= 2; i++) {
				int held = i;
				double alone = medianNanos(application, handler);
				application.queues().send(this.queue, LATER);
				Awaitility.await().until(() -> handler.waiting.size() == held && sleepers() == 1);
				ratio = Math.min(ratio, medianNanos(application, handler) / alone);
				handler.waiting.get(i - 1).acknowledge();
				state.awaitDrained();
			}
			assertThat(ratio).as("time with a message in hand / without").isLessThan(2);
		}
	}

	/**
	 * How long it takes from a send to the last handler, a few messages at a time, so
	 * that a handler takes no longer than with many.
	 */
	private long medianNanos(ListenerApplication application, Acknowledgments handler) throws InterruptedException {
		handler.handled.drainPermits();
		List<OutboundMessage> few = IntStream.range(0, 20)
			.mapToObj((number) -> OutboundMessage.to(this.queue, number))
			.toList();
		long[] nanos = new long[200];
		for (int i = 0; i < nanos.length; i++) {
			long start = System.nanoTime();
			application.queues().sendAll(few);
			assertThat(handler.handled.tryAcquire(few.size(), 10, TimeUnit.SECONDS)).isTrue();
			nanos[i] = System.nanoTime() - start;
		}
		Arrays.sort(nanos);
		return nanos[nanos.length / 2];
	}

	private ListenerApplication start(Object handler, String concurrency) {
		ListenerApplication application = ListenerApplication.on(redis)
			.bean(handler)
			.with("queue", this.queue)
			.with("concurrency", concurrency)
			.with("redelay.queue.safety-poll-interval", "1m")
			.with("redelay.queue.listener.auto-startup", false)
			.start();
		for (int first = 0; first < MESSAGES; first += 1_000) {
			send(application, first, first + 1_000);
		}
		return application;
	}

	private void send(ListenerApplication application, int first, int end) {
		application.queues()
			.sendAll(IntStream.range(first, end).mapToObj((number) -> OutboundMessage.to(this.queue, number)).toList());
	}

	private int sleepers() {
		return redis.client().getScoredSortedSet("redelay:{" + this.queue + "}:sleepers", StringCodec.INSTANCE).size();
	}

	private int lanes() {
		return redis.client().getScoredSortedSet("redelay:{" + this.queue + "}:lanes", StringCodec.INSTANCE).size();
	}

	static class Numbers {

		private final List<Integer> handled = Collections.synchronizedList(new ArrayList<>());

		private final AtomicInteger lanes = new AtomicInteger();

		private final IntSupplier present;

		private final int awaited;

		/**
		 * Creates a handler.
		 * @param present how many lanes there are
		 * @param awaited for how many of them it waits
		 */
		Numbers(IntSupplier present, int awaited) {
			this.present = present;
			this.awaited = awaited;
		}

		@QueueListener(queues = "${queue}", concurrency = "${concurrency}")
		void handle(int number) {
			this.handled.add(number);
			if (number % 1_000 == 999) {
				this.lanes.accumulateAndGet(this.present.getAsInt(), Math::max);
			}
			// What is left lasts until help has come.
			for (int i = 0; i < 100 && number >= MESSAGES / 2 && this.lanes.get() < this.awaited; i++) {
				this.lanes.accumulateAndGet(this.present.getAsInt(), Math::max);
			}
		}

	}

	static class Blocked {

		private final List<Integer> handled = Collections.synchronizedList(new ArrayList<>());

		private final CountDownLatch end = new CountDownLatch(1);

		private final int slow;

		Blocked(int slow) {
			this.slow = slow;
		}

		@QueueListener(queues = "${queue}", concurrency = "1")
		void handle(int number) throws InterruptedException {
			this.handled.add(number);
			if (number == this.slow) {
				assertThat(this.end.await(60, TimeUnit.SECONDS)).isTrue();
			}
		}

	}

	static class Acknowledgments {

		private final List<Acknowledgment> waiting = new CopyOnWriteArrayList<>();

		private final Semaphore handled = new Semaphore(0);

		@QueueListener(queues = "${queue}", concurrency = "${concurrency}", ackMode = AckMode.MANUAL)
		void handle(int number, Acknowledgment acknowledgment) {
			if (number == LATER) {
				this.waiting.add(acknowledgment);
			}
			else {
				acknowledgment.acknowledge();
				this.handled.release();
			}
		}

	}

	static class Batches {

		private final List<Integer> sizes = Collections.synchronizedList(new ArrayList<>());

		@QueueListener(queues = "${queue}", concurrency = "${concurrency}", batchSize = "100", batchTimeout = "20s")
		void handle(List<Integer> numbers) {
			this.sizes.add(numbers.size());
		}

	}

}
