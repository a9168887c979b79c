package io.redelay.queue.idempotency;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.UUID;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;

import io.redelay.queue.QueueException;
import io.redelay.queue.QueueListener;
import io.redelay.queue.admin.QueueAdmin;
import io.redelay.queue.work.Idempotency;
import io.redelay.queue.work.Idempotency.Outcome;
import io.redelay.queue.work.ReactiveIdempotency;
import io.redelay.test.ListenerApplication;
import io.redelay.test.TestRedis;
import org.assertj.core.api.InstanceOfAssertFactories;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import reactor.core.Disposable;
import reactor.core.publisher.Mono;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.mockito.Mockito.mock;

/**
 * Tests for {@link Idempotency} on two instances, and for listeners of which one acts on
 * what a topic gives all.
 */
class IdempotentActionIntegrationTests {

	private static final Duration DAY = Duration.ofDays(1);

	private static final Duration LONG = Duration.ofMinutes(2);

	/**
	 * The pool of the JVM has one thread on two processors.
	 */
	private static final Executor THREADS = (task) -> new Thread(task).start();

	@RegisterExtension
	static final TestRedis redis = TestRedis.shared();

	private static ListenerApplication application;

	private static ListenerApplication other;

	private static Idempotency here;

	private static Idempotency there;

	private final String key = UUID.randomUUID().toString();

	private final AtomicInteger effects = new AtomicInteger();

	@BeforeAll
	static void start() {
		application = ListenerApplication.on(redis).start();
		other = ListenerApplication.on(redis).start();
		here = application.bean(Idempotency.class);
		there = other.bean(Idempotency.class);
	}

	@AfterAll
	static void stop() {
		application.close();
		other.close();
	}

	@Test
	void anActionThatSucceededDoesNotRunAgainInAnyInstance() {
		assertThat(here.isDone(this.key)).isFalse();
		assertThat(here.once(this.key, DAY, this.effects::incrementAndGet)).isTrue();
		assertThat(here.once(this.key, DAY, this.effects::incrementAndGet)).isFalse();
		assertThat(there.once(this.key, DAY, this.effects::incrementAndGet)).isFalse();
		assertThat(there.tryOnce(this.key, DAY, this.effects::incrementAndGet)).isEqualTo(Outcome.DONE_BEFORE);
		assertThat(there.isDone(this.key)).isTrue();
		assertThat(this.effects).hasValue(1);
	}

	@Test
	void aFailureFreesTheKeyAndReachesTheCaller() {
		assertThatIllegalStateException().isThrownBy(() -> here.once(this.key, DAY, () -> {
			throw new IllegalStateException("own");
		})).withMessage("own");
		assertThat(there.once(this.key, DAY, this.effects::incrementAndGet)).isTrue();
	}

	@Test
	void aCallerWaitsForAnActionThatSucceedsElsewhere() throws Exception {
		Running running = new Running(this.key);
		CompletableFuture<Boolean> waiting = CompletableFuture
			.supplyAsync(() -> there.once(this.key, DAY, this.effects::incrementAndGet), THREADS);
		assertThat(there.tryOnce(this.key, DAY, this.effects::incrementAndGet)).isEqualTo(Outcome.RUNS_ELSEWHERE);
		assertThat(waiting).isNotDone();
		running.succeed();
		assertThat(waiting).succeedsWithin(LONG).isEqualTo(false);
		assertThat(running.result).succeedsWithin(LONG).isEqualTo(true);
		assertThat(this.effects).hasValue(0);
	}

	@Test
	void aCallerTakesThePlaceOfAnActionThatFailsElsewhere() throws Exception {
		Running running = new Running(this.key);
		CompletableFuture<Boolean> waiting = there.onceAsync(this.key, DAY, () -> {
			this.effects.incrementAndGet();
			return CompletableFuture.completedFuture(null);
		});
		assertThat(waiting).isNotDone();
		running.fail();
		assertThat(waiting).succeedsWithin(LONG).isEqualTo(true);
		assertThat(this.effects).hasValue(1);
	}

	@Test
	void ofManyThatComeAtOnceOneRuns() {
		List<CompletableFuture<Boolean>> all = IntStream.range(0, 40)
			.mapToObj((i) -> ((i % 2 == 0) ? here : there).onceAsync(this.key, DAY,
					() -> CompletableFuture.runAsync(this.effects::incrementAndGet)))
			.toList();
		all.forEach((each) -> assertThat(each).succeedsWithin(LONG));
		assertThat(all).filteredOn(CompletableFuture::join).hasSize(1);
		assertThat(this.effects).hasValue(1);
	}

	@Test
	void futuresFailAsTheirActionsDo() {
		assertThat(
				here.onceAsync(this.key, DAY, () -> CompletableFuture.failedFuture(new IllegalStateException("own"))))
			.failsWithin(LONG)
			.withThrowableOfType(ExecutionException.class)
			.withCauseInstanceOf(IllegalStateException.class);
		assertThat(here.onceAsync(this.key, DAY, () -> {
			throw new IllegalStateException("own");
		})).failsWithin(LONG)
			.withThrowableOfType(ExecutionException.class)
			.withCauseInstanceOf(IllegalStateException.class);
		assertThat(there.tryOnceAsync(this.key, DAY, () -> CompletableFuture.completedFuture("x"))).succeedsWithin(LONG)
			.isEqualTo(Outcome.RAN);
	}

	@Test
	void aKeyIsFreeAgainAfterItsWindow() {
		assertThat(here.once(this.key, Duration.ofMillis(300), this.effects::incrementAndGet)).isTrue();
		Awaitility.await().until(() -> !there.isDone(this.key));
		assertThat(there.once(this.key, DAY, this.effects::incrementAndGet)).isTrue();
	}

	@Test
	void aKeyIsMarkedAndForgotten() {
		here.markDone(this.key, DAY);
		assertThat(there.once(this.key, DAY, this.effects::incrementAndGet)).isFalse();
		there.forget(this.key);
		assertThat(here.isDone(this.key)).isFalse();
		assertThat(here.once(this.key, DAY, this.effects::incrementAndGet)).isTrue();
		there.forget(this.key);
		assertThat(there.once(this.key, DAY, this.effects::incrementAndGet)).isTrue();
	}

	@Test
	void anActionThatRunsIsSeenFromAnyInstance() throws Exception {
		ReactiveIdempotency reactive = other.bean(ReactiveIdempotency.class);
		assertThat(there.running(this.key)).isEmpty();
		Running running = new Running(this.key);
		assertThat(here.running(this.key)).isPresent();
		Idempotency.Running first = there.running(this.key).orElseThrow();
		assertThat(first.lease()).isPositive();
		Awaitility.await()
			.untilAsserted(() -> assertThat(reactive.running(this.key).block(LONG))
				.satisfies((later) -> assertThat(later.elapsed()).isGreaterThan(first.elapsed())));
		running.succeed();
		assertThat(running.result).succeedsWithin(LONG).isEqualTo(true);
		assertThat(there.running(this.key)).isEmpty();
		assertThat(reactive.running(this.key).blockOptional(LONG)).isEmpty();
		assertThatIllegalArgumentException().isThrownBy(() -> here.running(" "));
	}

	@Test
	void forgettingLeavesAnActionThatRuns() throws Exception {
		Running running = new Running(this.key);
		there.forget(this.key);
		assertThat(there.tryOnce(this.key, DAY, this.effects::incrementAndGet)).isEqualTo(Outcome.RUNS_ELSEWHERE);
		running.succeed();
		assertThat(running.result).succeedsWithin(LONG).isEqualTo(true);
		assertThat(there.isDone(this.key)).isTrue();
	}

	@Test
	void anActionMayAskForOtherKeys() {
		assertThat(here.once(this.key, DAY,
				() -> assertThat(here.once(this.key + "-inner", DAY, this.effects::incrementAndGet)).isTrue()))
			.isTrue();
		assertThat(this.effects).hasValue(1);
	}

	@Test
	void aMonoRunsOncePerSubscriptionAtMost() {
		ReactiveIdempotency reactive = application.bean(ReactiveIdempotency.class);
		Mono<Boolean> once = reactive.once(this.key, DAY, Mono.fromRunnable(this.effects::incrementAndGet));
		assertThat(this.effects).hasValue(0);
		assertThat(once.block(LONG)).isTrue();
		assertThat(once.block(LONG)).isFalse();
		assertThat(reactive.isDone(this.key).block(LONG)).isTrue();
		reactive.forget(this.key).block(LONG);
		assertThat(reactive.tryOnce(this.key, DAY, Mono.error(new IllegalStateException("own")))
			.onErrorResume((ex) -> Mono.empty())
			.blockOptional(LONG)).isEmpty();
		reactive.markDone(this.key, DAY).block(LONG);
		assertThat(reactive.tryOnce(this.key, DAY, Mono.empty()).block(LONG)).isEqualTo(Outcome.DONE_BEFORE);
		assertThat(this.effects).hasValue(1);
	}

	@Test
	void whatCannotBeAKeyOrAWindowIsRefused() {
		assertThatIllegalArgumentException().isThrownBy(() -> here.once(" ", DAY, this.effects::incrementAndGet))
			.withMessageContaining("'key' must not be blank");
		assertThatIllegalArgumentException()
			.isThrownBy(() -> here.once(this.key, Duration.ZERO, this.effects::incrementAndGet))
			.withMessageContaining("'window' must be 1 ms to 3650 days");
		assertThatIllegalArgumentException().isThrownBy(() -> here.markDone(this.key, Duration.ofDays(3651)));
	}

	@Test
	void aClosedApplicationAsksForNothing() {
		Idempotency closed;
		try (ListenerApplication closing = ListenerApplication.on(redis).start()) {
			closed = closing.bean(Idempotency.class);
		}
		assertThatExceptionOfType(QueueException.class)
			.isThrownBy(() -> closed.once(this.key, DAY, this.effects::incrementAndGet))
			.withMessageContaining("The application is closing");
	}

	@Test
	void aKeyOfAnApplicationThatClosesIsFree() {
		CountDownLatch never = new CountDownLatch(1);
		try (ListenerApplication closing = ListenerApplication.on(redis).start()) {
			CompletableFuture<Void> begun = new CompletableFuture<>();
			closing.bean(Idempotency.class).onceAsync(this.key, DAY, () -> {
				begun.complete(null);
				return CompletableFuture.runAsync(() -> awaitUninterruptibly(never), THREADS);
			});
			begun.join();
			assertThat(here.tryOnce(this.key, DAY, this.effects::incrementAndGet)).isEqualTo(Outcome.RUNS_ELSEWHERE);
		}
		assertThat(here.tryOnce(this.key, DAY, this.effects::incrementAndGet)).isEqualTo(Outcome.RAN);
		never.countDown();
	}

	@Test
	void aCallerThatWaitsFailsWhenItsApplicationCloses() throws Exception {
		Running running = new Running(this.key);
		CompletableFuture<Boolean> blocking;
		CompletableFuture<Boolean> future;
		try (ListenerApplication closing = ListenerApplication.on(redis).start()) {
			Idempotency waiting = closing.bean(Idempotency.class);
			blocking = CompletableFuture.supplyAsync(() -> waiting.once(this.key, DAY, this.effects::incrementAndGet),
					THREADS);
			future = waiting.onceAsync(this.key, DAY, CompletableFuture::new);
			Awaitility.await().during(Duration.ofMillis(200)).until(() -> !blocking.isDone() && !future.isDone());
		}
		assertThat(blocking).failsWithin(LONG).withThrowableThat().withCauseInstanceOf(QueueException.class);
		assertThat(future).failsWithin(LONG).withThrowableThat().withCauseInstanceOf(QueueException.class);
		running.succeed();
		assertThat(running.result).succeedsWithin(LONG).isEqualTo(true);
		assertThat(this.effects).hasValue(0);
	}

	@Test
	void aMonoThatIsCancelledWhileItWaitsDoesNotBegin() throws Exception {
		Running running = new Running(this.key);
		List<CompletableFuture<?>> futures = new ArrayList<>();
		ReactiveIdempotency reactive = new ReactiveIdempotencyTemplate(mock(Idempotency.class, (call) -> {
			CompletableFuture<?> future = (CompletableFuture<?>) call.getMethod().invoke(there, call.getArguments());
			futures.add(future);
			return future;
		}));
		reactive.once(this.key, DAY, Mono.fromRunnable(this.effects::incrementAndGet)).subscribe().dispose();
		running.fail();
		assertThat(futures).singleElement(InstanceOfAssertFactories.COMPLETABLE_FUTURE)
			.failsWithin(LONG)
			.withThrowableThat()
			.withCauseInstanceOf(CancellationException.class);
		assertThat(this.effects).hasValue(0);
		assertThat(here.tryOnce(this.key, DAY, this.effects::incrementAndGet)).isEqualTo(Outcome.RAN);
	}

	@Test
	void aMonoThatIsCancelledWhileItRunsIsLeftToItsEnd() throws Exception {
		CountDownLatch begun = new CountDownLatch(1);
		CompletableFuture<Void> end = new CompletableFuture<>();
		Disposable subscription = application.bean(ReactiveIdempotency.class)
			.once(this.key, DAY, Mono.fromFuture(() -> {
				begun.countDown();
				return end;
			}))
			.subscribe();
		begun.await();
		subscription.dispose();
		assertThat(there.tryOnce(this.key, DAY, this.effects::incrementAndGet)).isEqualTo(Outcome.RUNS_ELSEWHERE);
		end.complete(null);
		Awaitility.await().until(() -> there.isDone(this.key));
		assertThat(this.effects).hasValue(0);
	}

	@Test
	void ofAllInstancesThatATopicGivesAMessageOneActs() {
		String topic = TestRedis.queue();
		Acting acting = new Acting();
		try (ListenerApplication one = acting(topic, acting);
				ListenerApplication two = acting(topic, acting);
				ListenerApplication three = acting(topic, acting)) {
			for (int i = 0; i < 10; i++) {
				assertThat(two.queues().publish(topic, "m-" + i).groups()).hasSize(3);
			}
			Awaitility.await().until(() -> acting.acted.size() >= 10);
			for (ListenerApplication each : List.of(one, two, three)) {
				Awaitility.await().until(() -> each.container().isRunning() && isEmpty(each, topic));
			}
		}
		assertThat(acting.acted)
			.containsExactlyInAnyOrderElementsOf(IntStream.range(0, 10).mapToObj((i) -> "m-" + i).toList());
	}

	private static boolean isEmpty(ListenerApplication application, String topic) {
		return application.bean(QueueAdmin.class)
			.topics()
			.info(topic)
			.groups()
			.stream()
			.allMatch((group) -> group.info().ready() + group.info().inFlight() + group.info().scheduled() == 0);
	}

	private static ListenerApplication acting(String topic, Acting acting) {
		return ListenerApplication.on(redis).bean(acting).with("topic", topic).start();
	}

	private static void awaitUninterruptibly(CountDownLatch latch) {
		try {
			latch.await();
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
		}
	}

	static class Acting {

		private final Queue<String> acted = new ConcurrentLinkedQueue<>();

		@QueueListener(topic = "${topic}", idempotencyKey = "#{payload}", idempotencyScope = "topic")
		void handle(String text) {
			this.acted.add(text);
		}

	}

	/**
	 * An action of the first instance that runs until the test ends it.
	 */
	private static final class Running {

		private final CountDownLatch begun = new CountDownLatch(1);

		private final CompletableFuture<Void> end = new CompletableFuture<>();

		private final CompletableFuture<Boolean> result;

		Running(String key) throws InterruptedException {
			this.result = CompletableFuture.supplyAsync(() -> here.once(key, DAY, () -> {
				this.begun.countDown();
				this.end.join();
			}), THREADS);
			this.begun.await();
		}

		void succeed() {
			this.end.complete(null);
		}

		void fail() {
			this.end.completeExceptionally(new IllegalStateException("own"));
		}

	}

}
