package io.redelay.queue.recurring;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BiConsumer;

import io.redelay.queue.Backoff;
import io.redelay.queue.DeathReason;
import io.redelay.queue.MessageState;
import io.redelay.queue.OutboundMessage;
import io.redelay.queue.QueueListener;
import io.redelay.queue.admin.QueueAdmin;
import io.redelay.queue.work.DeliveryInfo;
import io.redelay.queue.work.MessageDelivery;
import io.redelay.queue.work.NextStep;
import io.redelay.queue.work.RecurringState;
import io.redelay.test.ListenerApplication;
import io.redelay.test.TestRedis;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.awaitility.Awaitility.await;

/**
 * Integration tests of the state that the runs of a recurring message keep.
 */
class RecurringStateIntegrationTests {

	@RegisterExtension
	static final TestRedis redis = TestRedis.shared();

	private static final Duration SELDOM = Duration.ofHours(5);

	private final String queue = TestRedis.queue();

	/**
	 * What each run found.
	 */
	private final BlockingQueue<Optional<Position>> found = new LinkedBlockingQueue<>();

	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void eachRunFindsWhatTheLastOneHandedOnAlsoAfterARestartAndAnotherDeclaration() throws Exception {
		Handler counting = handler((state, delivery) -> state.set(next(state)));
		try (ListenerApplication application = start(counting)) {
			RecurringMessages recurring = declare(application);
			assertThat(recurring.find(this.queue, "counter").orElseThrow().state()).isNull();
			runNow(recurring);
			assertThat(next()).isEmpty();
			awaitState(recurring, "{\"page\":1,\"names\":[\"a\"]}");
			runNow(recurring);
			assertThat(next()).contains(new Position(1, List.of("a")));
			awaitState(recurring, "{\"page\":2,\"names\":[\"a\"]}");
		}
		try (ListenerApplication application = start(counting)) {
			RecurringMessages recurring = application.bean(RecurringMessages.class);
			recurring.declare(RecurringDeclaration.every(this.queue, "counter", SELDOM).tags(List.of("other")));
			runNow(recurring);
			assertThat(next()).contains(new Position(2, List.of("a")));
			awaitState(recurring, "{\"page\":3,\"names\":[\"a\"]}");
			recurring.forgetState(this.queue, "counter");
			assertThat(state(recurring, "counter")).isNull();
			runNow(recurring);
			assertThat(next()).isEmpty();
			awaitState(recurring, "{\"page\":1,\"names\":[\"a\"]}");
			assertThat(recurring.list()).filteredOn((info) -> info.queue().equals(this.queue))
				.extracting(RecurringInfo::state)
				.containsExactly("{\"page\":1,\"names\":[\"a\"]}");
		}
	}

	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void aRunThatFailsHandsNothingOn() throws Exception {
		AtomicInteger failures = new AtomicInteger();
		try (ListenerApplication application = start(handler((state, delivery) -> {
			state.set(next(state));
			if (failures.incrementAndGet() < 3) {
				throw new IllegalStateException("thrown by a test");
			}
		}))) {
			RecurringMessages recurring = declare(application);
			runNow(recurring);
			assertThat(List.of(next(), next(), next())).containsOnly(Optional.empty());
			awaitState(recurring, "{\"page\":1,\"names\":[\"a\"]}");
		}
	}

	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void removalForgetsTheStateAndARunThatBeganBeforeSavesNone() throws Exception {
		CountDownLatch removed = new CountDownLatch(1);
		try (ListenerApplication application = start(handler((state, delivery) -> {
			Position next = next(state);
			if (next.page() == 2) {
				removed.await();
			}
			state.set(next);
		}))) {
			RecurringMessages recurring = declare(application);
			runNow(recurring);
			assertThat(next()).isEmpty();
			awaitState(recurring, "{\"page\":1,\"names\":[\"a\"]}");
			runNow(recurring);
			assertThat(next()).isPresent();
			recurring.remove(this.queue, "counter");
			removed.countDown();
			await().until(() -> application.bean(QueueAdmin.class).queues().info(this.queue).inFlight() == 0);
			declare(application);
			assertThat(recurring.find(this.queue, "counter").orElseThrow().state()).isNull();
			runNow(recurring);
			assertThat(next()).isEmpty();
			awaitState(recurring, "{\"page\":1,\"names\":[\"a\"]}");
		}
	}

	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void aRunThatAnotherOneHasOvertakenComesAgainAndReadsItsState() throws Exception {
		CountDownLatch overtaken = new CountDownLatch(1);
		AtomicInteger runs = new AtomicInteger();
		try (ListenerApplication application = start(handler((state, delivery) -> {
			if (runs.incrementAndGet() == 1) {
				overtaken.await();
			}
			state.set(next(state));
		}), "redelay.queue.listener.concurrency=2")) {
			RecurringMessages recurring = application.bean(RecurringMessages.class);
			recurring.declare(
					RecurringDeclaration.every(this.queue, "counter", SELDOM).overlap(OverlappingRuns.SIDE_BY_SIDE));
			runNow(recurring);
			assertThat(next()).isEmpty();
			runNow(recurring);
			assertThat(next()).isEmpty();
			awaitState(recurring, "{\"page\":1,\"names\":[\"a\"]}");
			overtaken.countDown();
			assertThat(next()).as("the one that was overtaken runs again").contains(new Position(1, List.of("a")));
			awaitState(recurring, "{\"page\":2,\"names\":[\"a\"]}");
			await().until(() -> application.bean(QueueAdmin.class).queues().info(this.queue).inFlight() == 0);
			assertThat(this.found).isEmpty();
			assertThat(runs).hasValue(3);
		}
	}

	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void whatIsTooLargeOrComesTooLateIsRefusedAndWhatWasSetStays() throws Exception {
		Queue<RecurringState<Position>> kept = new ConcurrentLinkedQueue<>();
		Queue<String> refusals = new ConcurrentLinkedQueue<>();
		try (ListenerApplication application = start(handler((state, delivery) -> {
			state.set(next(state));
			assertThatIllegalArgumentException().isThrownBy(() -> state.set(new Position(1, List.of("x".repeat(300)))))
				.withMessageContaining("has 323 bytes, and at most 200 are kept")
				.withMessageContaining("'redelay.queue.work.max-checkpoint-size'");
			refusals.add("refused");
			kept.add(state);
		}), "redelay.queue.work.max-checkpoint-size=200B")) {
			RecurringMessages recurring = declare(application);
			runNow(recurring);
			awaitState(recurring, "{\"page\":1,\"names\":[\"a\"]}");
			assertThat(refusals).hasSize(1);
			assertThatIllegalStateException().isThrownBy(() -> kept.element().set(new Position(9, List.of())))
				.withMessageContaining("cannot be set any more");
		}
	}

	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void whatIsClearedIsGoneForTheNextRun() throws Exception {
		try (ListenerApplication application = start(handler((state, delivery) -> {
			if (state.get().isPresent()) {
				state.clear();
			}
			else {
				state.set(next(state));
			}
		}))) {
			RecurringMessages recurring = declare(application);
			runNow(recurring);
			awaitState(recurring, "{\"page\":1,\"names\":[\"a\"]}");
			runNow(recurring);
			await().until(() -> recurring.find(this.queue, "counter").orElseThrow().state() == null);
			assertThat(List.of(next(), next())).containsExactly(Optional.empty(),
					Optional.of(new Position(1, List.of("a"))));
			runNow(recurring);
			assertThat(next()).isEmpty();
		}
	}

	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void theStateIsSavedTogetherWithTheNextStepAndWhatTheQueueKeeps() {
		Stepping stepping = new Stepping(this.queue);
		try (ListenerApplication application = ListenerApplication.on(redis)
			.bean(stepping)
			.with("test.queue", this.queue)
			.with("redelay.queue.queues." + this.queue + ".completed.max-count", "10")
			.start()) {
			RecurringMessages recurring = application.bean(RecurringMessages.class);
			for (int run = 1; run <= 3; run++) {
				runNow(recurring, "stepping");
				int expected = run;
				await().until(() -> String.valueOf(expected).equals(state(recurring, "stepping")));
			}
			await().until(() -> stepping.steps.size() == 3);
			assertThat(stepping.steps).containsExactlyInAnyOrder("1", "2", "3");
			assertThat(application.bean(QueueAdmin.class)
				.messages()
				.browse(this.queue, MessageState.COMPLETED, 0, 10)
				.messages()).hasSize(3)
				.allSatisfy((message) -> assertThat(message.payloadAsText()).contains("\"name\":\"stepping\""));
		}
	}

	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void anAsynchronousHandlerHandsOnWithItsFuture() {
		Asynchronous asynchronous = new Asynchronous();
		try (ListenerApplication application = ListenerApplication.on(redis)
			.bean(asynchronous)
			.with("test.queue", this.queue)
			.start()) {
			RecurringMessages recurring = application.bean(RecurringMessages.class);
			runNow(recurring, "asynchronous");
			await().until(() -> !asynchronous.begun.isEmpty());
			assertThat(state(recurring, "asynchronous")).isNull();
			asynchronous.begun.remove().complete(null);
			await().until(() -> "1".equals(state(recurring, "asynchronous")));
		}
	}

	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void aMessageThatIsNoTickHasNoState() {
		Mixed mixed = new Mixed();
		try (ListenerApplication application = ListenerApplication.on(redis)
			.bean(mixed)
			.bean(new Strict())
			.with("test.queue", this.queue)
			.with("redelay.queue.recurring.mixed-by-property.queue", this.queue)
			.with("redelay.queue.recurring.mixed-by-property.every", "5h")
			.start()) {
			application.queues().send(this.queue, "plain");
			await().untilAsserted(() -> assertThat(mixed.seen).contains("null"));
			QueueAdmin admin = application.bean(QueueAdmin.class);
			application.queues().send(this.queue + ".strict", "plain");
			await().untilAsserted(() -> assertThat(
					admin.messages().browse(this.queue + ".strict", MessageState.DEAD, 0, 10).messages())
				.extracting((message) -> message.death().reason())
				.containsExactly(DeathReason.CONVERSION_FAILED));
		}
	}

	private static Position next(RecurringState<Position> state) {
		Position before = state.get().orElse(new Position(0, List.of("a")));
		return new Position(before.page() + 1, before.names());
	}

	private RecurringMessages declare(ListenerApplication application) {
		RecurringMessages recurring = application.bean(RecurringMessages.class);
		recurring.declare(RecurringDeclaration.every(this.queue, "counter", SELDOM));
		return recurring;
	}

	private void runNow(RecurringMessages recurring) {
		runNow(recurring, "counter");
	}

	private void runNow(RecurringMessages recurring, String name) {
		await().until(() -> recurring.find(this.queue, name).isPresent());
		await().until(() -> recurring.runNow(this.queue, name));
	}

	private @Nullable String state(RecurringMessages recurring, String name) {
		return recurring.find(this.queue, name).orElseThrow().state();
	}

	private void awaitState(RecurringMessages recurring, String expected) {
		await().untilAsserted(() -> assertThat(state(recurring, "counter")).isEqualTo(expected));
	}

	private Optional<Position> next() throws InterruptedException {
		Optional<Position> next = this.found.poll(60, TimeUnit.SECONDS);
		assertThat(next).isNotNull();
		return next;
	}

	private ListenerApplication start(Handler handler, String... properties) {
		ListenerApplication.Builder application = ListenerApplication.on(redis)
			.bean(handler)
			.with("test.queue", this.queue);
		for (String property : properties) {
			String[] parts = property.split("=");
			application.with(parts[0], parts[1]);
		}
		return application.start();
	}

	private Handler handler(Handling handling) {
		return new Handler((state, delivery) -> {
			this.found.add(state.get());
			try {
				handling.handle(state, delivery);
			}
			catch (InterruptedException ex) {
				throw new IllegalStateException(ex);
			}
		});
	}

	@FunctionalInterface
	interface Handling {

		void handle(RecurringState<Position> state, MessageDelivery delivery) throws InterruptedException;

	}

	record Position(int page, List<String> names) {

	}

	static class Handler {

		private final BiConsumer<RecurringState<Position>, MessageDelivery> handling;

		Handler(BiConsumer<RecurringState<Position>, MessageDelivery> handling) {
			this.handling = handling;
		}

		@QueueListener(queues = "${test.queue}", backoff = @Backoff(initialInterval = "10ms"))
		@RecurringMessage(cron = "-")
		void handle(RecurringState<Position> state, MessageDelivery delivery) {
			this.handling.accept(state, delivery);
		}

	}

	static class Stepping {

		private final String queue;

		final Queue<String> steps = new ConcurrentLinkedQueue<>();

		Stepping(String queue) {
			this.queue = queue;
		}

		@QueueListener("${test.queue}")
		@RecurringMessage(name = "stepping", every = "5h")
		void handle(MessageDelivery delivery, NextStep next) {
			RecurringState<Integer> state = delivery.recurringState(Integer.class);
			state.set(state.get().orElse(0) + 1);
			next.send(OutboundMessage.to(this.queue + ".next", String.valueOf(state.get().orElseThrow())));
		}

		@QueueListener("${test.queue}.next")
		void step(String step) {
			this.steps.add(step);
		}

	}

	static class Asynchronous {

		final Queue<CompletableFuture<Void>> begun = new ConcurrentLinkedQueue<>();

		@QueueListener("${test.queue}")
		@RecurringMessage(name = "asynchronous", every = "5h")
		CompletableFuture<Void> handle(RecurringState<Integer> state) {
			CompletableFuture<Void> end = new CompletableFuture<>();
			CompletableFuture<Void> handled = end.thenRun(() -> state.set(state.get().orElse(0) + 1));
			this.begun.add(end);
			return handled;
		}

	}

	static class Mixed {

		final Queue<String> seen = new ConcurrentLinkedQueue<>();

		@QueueListener("${test.queue}")
		void handle(String payload, @Nullable RecurringState<Integer> state) {
			this.seen.add(String.valueOf(state));
		}

	}

	static class Strict {

		@QueueListener("${test.queue}.strict")
		@RecurringMessage(cron = "-")
		void handle(String payload, RecurringState<Integer> state, DeliveryInfo info) {
		}

	}

}
