package io.redelay.queue.claim;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;

import io.redelay.queue.AckMode;
import io.redelay.queue.Backoff;
import io.redelay.queue.DeathReason;
import io.redelay.queue.ExpiryAction;
import io.redelay.queue.MessageState;
import io.redelay.queue.OutboundMessage;
import io.redelay.queue.QueueListener;
import io.redelay.queue.admin.QueueAdmin;
import io.redelay.queue.work.CancellationReason;
import io.redelay.queue.work.MessageDelivery;
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
 * Tests for the deadline of a message while a listener has it.
 */
class DeadlineIntegrationTests {

	@RegisterExtension
	static final TestRedis redis = TestRedis.shared();

	private final String queue = TestRedis.queue();

	private final QueueState state = QueueState.of(redis, this.queue);

	private Instant deadline;

	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void itHoldsOverAllAttempts() {
		Failing handler = new Failing();
		try (ListenerApplication application = start(handler, "50ms")) {
			QueueState.Dead dead = awaitDead(application, Duration.ofMillis(700), () -> handler.calls.size() > 1);
			assertThat(dead.reason()).isEqualTo("DEADLINE");
			assertThat(handler.calls).hasSizeGreaterThan(1);
			Instant deadline = handler.calls.get(handler.calls.size() - 1).deadline();
			assertThat(deadline).isEqualTo(this.deadline);
			assertThat(dead.message()).contains(deadline.toString());
		}
	}

	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void anAttemptThatWouldComeTooLateIsNotWaitedFor() {
		Failing handler = new Failing();
		try (ListenerApplication application = start(handler, "2h")) {
			application.queues().send(OutboundMessage.to(this.queue, "x").deadline(Duration.ofHours(1)));
			QueueState.Dead dead = this.state.awaitDead();
			assertThat(dead.reason()).isEqualTo("DEADLINE");
			assertThat(dead.message()).contains("its next attempt would not be before").contains("number 1");
			assertThat(dead.cause().get("exception").asString()).isEqualTo(IllegalStateException.class.getName());
			assertThat(dead.cause().get("failures").asInt()).isOne();
			assertThat(handler.calls).hasSize(1);
		}
	}

	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void itIsDroppedIfItsSenderWishesSo() {
		Failing handler = new Failing();
		try (ListenerApplication application = start(handler, "2h")) {
			application.queues()
				.send(OutboundMessage.to(this.queue, "x").id("late").deadline(Duration.ofHours(1), ExpiryAction.DROP));
			Awaitility.await().until(() -> handler.calls.size() == 1);
			this.state.awaitDrained();
			assertThat(this.state.dead()).isEmpty();
			assertThat(application.bean(QueueAdmin.class).messages().find(this.queue, "late")).isEmpty();
		}
	}

	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void itStopsAHandlerThatRuns() throws InterruptedException {
		Sleeping handler = new Sleeping();
		try (ListenerApplication application = start(handler, "1s")) {
			QueueState.Dead dead = awaitDead(application, Duration.ofMillis(300), () -> handler.begun);
			assertThat(dead.reason()).isEqualTo("DEADLINE");
			assertThat(dead.message()).contains("The handling was not complete at the deadline");
			assertThat(handler.interrupted.await(60, TimeUnit.SECONDS)).isTrue();
			Awaitility.await()
				.untilAsserted(
						() -> assertThat(handler.reasons).isNotEmpty().containsOnly(CancellationReason.DEADLINE));
		}
	}

	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void itCancelsAFutureThatIsAwaited() {
		Asynchronous handler = new Asynchronous();
		try (ListenerApplication application = start(handler, "1s")) {
			assertThat(awaitDead(application, Duration.ofMillis(300), () -> handler.begun).reason())
				.isEqualTo("DEADLINE");
			Awaitility.await().until(handler.result::isCancelled);
		}
	}

	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void inABatchOnlyTheMessageEndsWhoseDeadlineItIs() {
		Batch handler = new Batch();
		try (ListenerApplication application = start(handler, "1s")) {
			application.queues()
				.sendAll(List.of(OutboundMessage.to(this.queue, "late").deadline(Duration.ofMillis(500)),
						OutboundMessage.to(this.queue, "other")));
			assertThat(this.state.awaitDead().envelope().get("payload").asString()).isEqualTo("late");
			handler.release.countDown();
			this.state.awaitDrained();
			assertThat(handler.interruptions).isEmpty();
			assertThat(this.state.dead()).hasSize(1);
		}
	}

	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void aBatchThatIsAcknowledgedFirstIsStoppedAtItsLastDeadline() {
		AcknowledgedBatch handler = new AcknowledgedBatch(() -> QueueState.now(redis));
		try (ListenerApplication application = start(handler, "1s")) {
			// A machine that is held up gets more time until both are in one batch.
			for (Duration first = Duration.ofMillis(300); handler.stops.isEmpty(); first = first.multipliedBy(4)) {
				Duration second = first.multipliedBy(4);
				// The earliest time at which the deadline of the second one can be.
				Instant last = QueueState.now(redis).plus(second);
				Instant due = application.queues()
					.sendAll(List.of(OutboundMessage.to(this.queue, last).deadline(first),
							OutboundMessage.to(this.queue, last).deadline(second)))
					.get(1)
					.due();
				Awaitility.await()
					.until(() -> !handler.stops.isEmpty()
							|| QueueState.now(redis).isAfter(due.plus(second).plusSeconds(1)));
			}
			assertThat(handler.stops).allSatisfy((deadline, stop) -> assertThat(stop).isAfterOrEqualTo(deadline));
		}
	}

	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void whatIsRedrivenHasNoneLeft() {
		Failing handler = new Failing();
		try (ListenerApplication application = start(handler, "2h")) {
			QueueAdmin admin = application.bean(QueueAdmin.class);
			application.queues().send(OutboundMessage.to(this.queue, "x").id("once").deadline(Duration.ofHours(1)));
			this.state.awaitDead();
			handler.succeeds = true;
			admin.deadLetters().redrive(this.queue, "once");
			this.state.awaitDrained();
			assertThat(handler.calls).hasSize(2);
			assertThat(handler.calls.get(1).deadline()).isNull();
			assertThat(this.state.dead()).isEmpty();
		}
	}

	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void aListenerThatComesTooLateDoesNotHandleIt() {
		Failing handler = new Failing();
		try (ListenerApplication application = ListenerApplication.on(redis)
			.bean(handler)
			.with("queue", this.queue)
			.with("pause", "1s")
			.with("redelay.queue.listener.auto-startup", false)
			.start()) {
			Instant due = application.queues()
				.send(OutboundMessage.to(this.queue, "x").id("x").deadline(Duration.ofMillis(1)))
				.due();
			Awaitility.await().until(() -> QueueState.now(redis).isAfter(due.plusMillis(5)));
			application.container().start();
			assertThat(this.state.awaitDead().message()).contains("had not begun by its deadline");
			assertThat(handler.calls).isEmpty();
			assertThat(application.bean(QueueAdmin.class).messages().find(this.queue, "x")).get().satisfies((dead) -> {
				assertThat(dead.state()).isEqualTo(MessageState.DEAD);
				assertThat(dead.death().reason()).isEqualTo(DeathReason.DEADLINE);
			});
		}
	}

	/**
	 * Sends a message that is dead at its deadline. A machine that is held up gets a
	 * longer one until the handler has come as far as the test needs.
	 */
	private QueueState.Dead awaitDead(ListenerApplication application, Duration first, BooleanSupplier farEnough) {
		for (Duration each = first;; each = each.multipliedBy(4)) {
			this.deadline = application.queues()
				.send(OutboundMessage.to(this.queue, "x").deadline(each))
				.due()
				.plus(each);
			QueueState.Dead dead = this.state.awaitDead();
			if (farEnough.getAsBoolean() || each.compareTo(Duration.ofSeconds(10)) > 0) {
				return dead;
			}
			application.bean(QueueAdmin.class).control().purge(this.queue, MessageState.DEAD);
		}
	}

	private ListenerApplication start(Object handler, String pause) {
		return ListenerApplication.on(redis).bean(handler).with("queue", this.queue).with("pause", pause).start();
	}

	static class Failing {

		final List<MessageDelivery> calls = new CopyOnWriteArrayList<>();

		volatile boolean succeeds;

		@QueueListener(queues = "${queue}", maxAttempts = "1000",
				backoff = @Backoff(initialInterval = "${pause}", multiplier = "1", maxInterval = "${pause}"))
		void handle(String text, MessageDelivery delivery) {
			this.calls.add(delivery);
			if (!this.succeeds) {
				throw new IllegalStateException("number " + this.calls.size());
			}
		}

	}

	static class Sleeping {

		final List<CancellationReason> reasons = new CopyOnWriteArrayList<>();

		final CountDownLatch interrupted = new CountDownLatch(1);

		volatile boolean begun;

		@QueueListener(queues = "${queue}")
		void handle(String text, MessageDelivery delivery) {
			this.begun = true;
			delivery.cancellation().onCancel(this.reasons::add);
			try {
				new CountDownLatch(1).await(60, TimeUnit.SECONDS);
			}
			catch (InterruptedException ex) {
				this.interrupted.countDown();
			}
		}

	}

	static class Asynchronous {

		final CompletableFuture<String> result = new CompletableFuture<>();

		volatile boolean begun;

		@QueueListener(queues = "${queue}")
		CompletableFuture<String> handle(String text) {
			this.begun = true;
			return this.result;
		}

	}

	static class Batch {

		final CountDownLatch release = new CountDownLatch(1);

		final List<Throwable> interruptions = new CopyOnWriteArrayList<>();

		@QueueListener(queues = "${queue}", batchSize = "10")
		void handle(List<String> texts) {
			try {
				this.release.await(60, TimeUnit.SECONDS);
			}
			catch (InterruptedException ex) {
				this.interruptions.add(ex);
			}
		}

	}

	static class AcknowledgedBatch {

		/**
		 * When the handlers of whole batches were stopped, by their last deadlines.
		 */
		final Map<Instant, Instant> stops = new ConcurrentHashMap<>();

		private final Supplier<Instant> clock;

		AcknowledgedBatch(Supplier<Instant> clock) {
			this.clock = clock;
		}

		@QueueListener(queues = "${queue}", batchSize = "2", batchTimeout = "1s", ackMode = AckMode.BEFORE_HANDLING)
		void handle(List<Instant> deadlines) {
			try {
				new CountDownLatch(1).await(60, TimeUnit.SECONDS);
			}
			catch (InterruptedException ex) {
				if (deadlines.size() == 2) {
					this.stops.put(deadlines.get(0), this.clock.get());
				}
			}
		}

	}

}
