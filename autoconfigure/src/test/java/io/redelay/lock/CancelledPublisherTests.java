package io.redelay.lock;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;

import io.redelay.test.MemoryLocks;
import io.redelay.test.TestSettings;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.reactivestreams.Publisher;
import reactor.core.publisher.BaseSubscriber;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

import org.springframework.core.Ordered;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.TransactionSystemException;
import org.springframework.transaction.reactive.AbstractReactiveTransactionManager;
import org.springframework.transaction.reactive.GenericReactiveTransaction;
import org.springframework.transaction.reactive.TransactionSynchronization;
import org.springframework.transaction.reactive.TransactionSynchronizationManager;
import org.springframework.transaction.reactive.TransactionalOperator;
import org.springframework.transaction.support.DefaultTransactionDefinition;

import static io.redelay.test.Waiting.await;
import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link LockedPublishers} and {@link ReactiveTransaction}: whenever a
 * subscription is cancelled or ends, its lock is released once. The tests fix the order
 * of the events, but for the last two, which repeat what happens at the same time.
 */
class CancelledPublisherTests {

	private static final Duration LONG = Duration.ofSeconds(30);

	private static final LockSpec SPEC = LockSpec.of("a").withProvider("memory");

	private final MemoryLocks locks = new MemoryLocks();

	private final List<LockEvent.Type> events = new CopyOnWriteArrayList<>();

	private final LockThreads threads = LockThreads.platform();

	private final BaseSubscriber<Object> subscriber = new BaseSubscriber<>() {
	};

	private final CompletableFuture<Void> end = new CompletableFuture<>();

	private volatile boolean cancelsAtTheGrant;

	private final LockTemplate template = new LockTemplate(new LockProviders(Map.of(), Map.of("memory", this.locks)),
			(name) -> name, TestSettings.LOCK, List.of((event) -> {
				this.events.add(event.type());
				if (this.cancelsAtTheGrant) {
					this.subscriber.dispose();
				}
			}), this.threads);

	private final Transactions transactions = new Transactions(this::isHeld);

	private final TransactionalOperator operator = TransactionalOperator.create(this.transactions);

	@AfterEach
	void stop() {
		this.threads.close();
	}

	@ParameterizedTest
	@EnumSource
	void lockOfASubscriptionThatIsCancelledAtTheGrantIsReleased(Kind kind) {
		this.cancelsAtTheGrant = true;
		kind.flux(this, Flux.never()).subscribe(this.subscriber);
		awaitRelease();
	}

	@ParameterizedTest
	@EnumSource
	void lockOfASubscriptionThatIsCancelledBeforeTheCodeIsReleased(Kind kind) {
		kind.flux(this, Flux.defer(() -> {
			this.subscriber.dispose();
			return Flux.never();
		})).subscribe(this.subscriber);
		awaitRelease();
	}

	@ParameterizedTest
	@EnumSource
	void lockOfASubscriptionThatIsCancelledByTheCodeIsReleased(Kind kind) {
		kind.flux(this, Flux.just("x").doOnNext((x) -> this.subscriber.dispose())).subscribe(this.subscriber);
		awaitRelease();
	}

	@ParameterizedTest
	@EnumSource
	void lockOfASubscriptionThatIsCancelledWithTheLastSignalIsReleased(Kind kind) {
		kind.flux(this, Flux.empty().doOnComplete(this.subscriber::dispose)).subscribe(this.subscriber);
		awaitRelease();
	}

	@Test
	void minimalHoldOfALockThatNothingRanUnderIsDropped() {
		this.cancelsAtTheGrant = true;
		lock(SPEC.withMinHold(Duration.ofHours(1)), Flux.never(), Mono.empty()).subscribe(this.subscriber);
		awaitRelease();
	}

	@Test
	void lockIsNotRequestedByASubscriptionThatIsCancelledAtOnce() {
		Kind.FLUX.flux(this, Flux.never()).doOnSubscribe((s) -> s.cancel()).subscribe(this.subscriber);
		assertThat(this.locks.keys()).isEmpty();
		assertThat(isHeld()).isFalse();
	}

	/**
	 * Code that was cancelled, like a coroutine, ends on its own thread while the
	 * transaction rolls back.
	 */
	@ParameterizedTest
	@EnumSource
	void lockOfCancelledCodeThatEndsDuringTheRollbackIsFreeAfterIt(Point point) {
		this.transactions.at(point, this::end);
		locked(Flux.never()).as(this.operator::transactional).subscribe(this.subscriber);
		await().until(() -> this.transactions.subscribed);
		if (point == Point.BEFORE) {
			end();
		}
		this.subscriber.dispose();
		finish(point);
		assertThat(this.transactions.ends).containsExactly("rollback, held: true");
	}

	/**
	 * A publisher that a subscription of its own runs ends while the transaction
	 * completes.
	 */
	@ParameterizedTest
	@EnumSource
	void lockOfAPublisherThatEndsDuringTheCommitIsFreeAfterIt(Point point) {
		this.transactions.at(point, this::end);
		endsInTransaction(Mono.empty(), point).as(this.operator::transactional).blockLast(LONG);
		finish(point);
		assertThat(this.transactions.ends).containsExactly("commit, held: true");
	}

	@ParameterizedTest
	@EnumSource
	void lockOfAPublisherThatEndsDuringTheRollbackIsFreeAfterIt(Point point) {
		this.transactions.at(point, this::end);
		endsInTransaction(Mono.error(new IllegalStateException("own")), point).as(this.operator::transactional)
			.onErrorComplete()
			.blockLast(LONG);
		finish(point);
		assertThat(this.transactions.ends).containsExactly("rollback, held: true");
	}

	/**
	 * Then Spring does not call back before the completion.
	 */
	@ParameterizedTest
	@EnumSource(names = { "BEFORE", "SNAPSHOT", "LAST", "AFTER" })
	void lockOfAPublisherThatEndsInACommitThatIsRefusedIsFreeAfterIt(Point point) {
		this.transactions.at(point, this::end);
		this.transactions.refusing = true;
		endsInTransaction(Mono.empty(), point).as(this.operator::transactional).onErrorComplete().blockLast(LONG);
		finish(point);
		assertThat(this.transactions.ends).isEmpty();
	}

	@Test
	void callbacksThatThePublisherRegisteredRunUnderTheLock() {
		List<Boolean> held = new CopyOnWriteArrayList<>();
		this.transactions.at(Point.LAST, () -> held.add(isHeld()));
		end();
		locked(Flux.just("x")).as(this.operator::transactional).blockLast(LONG);
		awaitRelease();
		assertThat(held).containsExactly(true);
	}

	/**
	 * The cancellation comes while the outer transaction is suspended, whose callbacks
	 * Spring then forgets.
	 */
	@Test
	void lockOfASubscriptionThatIsCancelledInATransactionWithinIsReleased() {
		end();
		Flux<Object> within = Flux.never().doOnSubscribe((s) -> this.subscriber.dispose()).as(this::separate);
		locked(within).as(this.operator::transactional).subscribe(this.subscriber);
		awaitRelease();
	}

	/**
	 * The manager then has the callbacks of the inner transaction.
	 */
	@Test
	void lockOfAPublisherThatEndsDuringARollbackWithinIsReleased() {
		this.transactions.at(Point.SNAPSHOT, this::end);
		Flux.deferContextual((context) -> {
			lock(SPEC, Mono.fromFuture(this.end), Mono.empty()).contextWrite(context).subscribe();
			await().until(() -> this.events.contains(LockEvent.Type.ACQUIRED));
			return this.transactions.register(Point.FIRST)
				.then(this.transactions.register(Point.LAST))
				.then(Mono.error(new IllegalStateException("own")))
				.flux()
				.as(this::separate)
				.onErrorComplete();
		}).as(this.operator::transactional).blockLast(LONG);
		awaitRelease();
	}

	private Flux<Object> separate(Flux<?> flux) {
		return TransactionalOperator
			.create(this.transactions, new DefaultTransactionDefinition(TransactionDefinition.PROPAGATION_REQUIRES_NEW))
			.transactional(flux.cast(Object.class));
	}

	/**
	 * Both have to note at once that the transaction keeps their locks.
	 */
	@Test
	void locksOfPublishersThatEndAtTheSameTimeAreReleased() {
		for (int i = 0; i < 500; i++) {
			AtomicInteger ready = new AtomicInteger();
			Flux.merge(lockedThenTogether("a", ready), lockedThenTogether("b", ready))
				.as(this.operator::transactional)
				.blockLast(LONG);
			String round = "round " + i;
			await().alias(round).until(() -> !isHeld());
		}
	}

	private Flux<Object> lockedThenTogether(String name, AtomicInteger ready) {
		return lock(LockSpec.of(name).withProvider("memory"), Mono.fromRunnable(() -> {
			ready.incrementAndGet();
			while (ready.get() < 2) {
				Thread.onSpinWait();
			}
		}), Mono.empty());
	}

	@Test
	void locksOfSubscriptionsThatAreCancelledAtAnyTimeAreReleased() throws Exception {
		ExecutorService other = Executors.newSingleThreadExecutor();
		for (int i = 0; i < 500; i++) {
			BaseSubscriber<Object> each = new BaseSubscriber<>() {
			};
			int spins = i * 37;
			CyclicBarrier together = new CyclicBarrier(2);
			other.submit(() -> {
				meet(together);
				for (int spin = 0; spin < spins; spin++) {
					Thread.onSpinWait();
				}
				each.dispose();
			});
			Flux<Object> flux = lock(SPEC, Flux.never(), Mono.empty()).as(this.operator::transactional);
			meet(together);
			flux.subscribe(each);
			String round = "round " + i;
			await().alias(round).until(() -> each.isDisposed() && !isHeld());
		}
		other.shutdown();
	}

	private static void meet(CyclicBarrier barrier) {
		try {
			barrier.await();
		}
		catch (Exception ex) {
			throw new IllegalStateException(ex);
		}
	}

	private void end() {
		this.end.complete(null);
	}

	private void finish(Point point) {
		if (point == Point.AFTER) {
			assertThat(isHeld()).isTrue();
			end();
		}
		awaitRelease();
	}

	/**
	 * Subscribes to a locked publisher within the transaction, but not as a part of it.
	 */
	private Flux<Object> endsInTransaction(Mono<Object> result, Point point) {
		return this.transactions.register(Point.FIRST).thenMany(Flux.deferContextual((context) -> {
			lock(SPEC, Mono.fromFuture(this.end), Mono.empty()).contextWrite(context).subscribe();
			await().until(() -> this.events.contains(LockEvent.Type.ACQUIRED));
			if (point == Point.BEFORE) {
				end();
			}
			return this.transactions.register(Point.LAST).thenMany(result);
		}));
	}

	/**
	 * Returns a locked publisher whose code goes on after it was cancelled.
	 */
	private Flux<Object> locked(Publisher<?> body) {
		Flux<Object> code = this.transactions.register(Point.LAST)
			.thenMany(body)
			.cast(Object.class)
			.doOnSubscribe((s) -> this.transactions.subscribed = true);
		return this.transactions.register(Point.FIRST).thenMany(lock(SPEC, code, Mono.fromFuture(this.end, true)));
	}

	private Flux<Object> lock(LockSpec spec, Publisher<?> body, Mono<Void> ended) {
		return new LockedPublishers(this.template).lock(() -> spec, () -> Flux.from(body).cast(Object.class),
				(failure, delivering) -> Mono.error(failure), () -> ended);
	}

	private boolean isHeld() {
		return !this.locks.held().isEmpty();
	}

	private void awaitRelease() {
		await().until(() -> this.events.size() == 2);
		assertThat(this.events).containsExactly(LockEvent.Type.ACQUIRED, LockEvent.Type.RELEASED);
		assertThat(isHeld()).isFalse();
		assertThat(this.template.activity().uses()).isEmpty();
	}

	enum Kind {

		MONO, FLUX, THROWS_IF_LOST, TRANSACTION;

		Flux<Object> flux(CancelledPublisherTests test, Publisher<?> body) {
			Flux<Object> flux = test.lock((this == THROWS_IF_LOST) ? SPEC.withLeaseLost(LeaseLost.THROW) : SPEC, body,
					Mono.empty());
			return switch (this) {
				case MONO -> flux.singleOrEmpty().flux();
				case TRANSACTION -> test.operator.transactional(flux);
				default -> flux;
			};
		}

	}

	/**
	 * When the protected code ends.
	 */
	enum Point {

		/**
		 * Before the transaction completes.
		 */
		BEFORE,

		BEFORE_COMPLETION, WRITE,

		/**
		 * When the transaction has looked up its callbacks and still takes new ones.
		 */
		SNAPSHOT,

		/**
		 * In the first callback after the completion.
		 */
		FIRST,

		/**
		 * In the last callback after the completion.
		 */
		LAST,

		AFTER

	}

	/**
	 * Transactions without anything to write.
	 */
	@SuppressWarnings("serial")
	private static final class Transactions extends AbstractReactiveTransactionManager {

		private final List<String> ends = new CopyOnWriteArrayList<>();

		private final BooleanSupplier held;

		private volatile boolean subscribed;

		private volatile boolean refusing;

		private volatile boolean written;

		private volatile @Nullable Point point;

		private volatile Runnable action = () -> {
		};

		Transactions(BooleanSupplier held) {
			this.held = held;
		}

		/**
		 * Lets something happen at one point of the next completion.
		 */
		void at(Point point, Runnable action) {
			this.action = action;
			this.point = point;
		}

		private void reach(Point point) {
			if (this.point == point) {
				this.point = null;
				this.action.run();
			}
		}

		/**
		 * Registers a callback in the transaction of the subscriber.
		 */
		Mono<Void> register(Point point) {
			return TransactionSynchronizationManager.forCurrentTransaction()
				.doOnNext((manager) -> manager.registerSynchronization(new Callback(this, point)))
				.then();
		}

		@Override
		protected Object doGetTransaction(TransactionSynchronizationManager manager) {
			return manager.isActualTransactionActive();
		}

		@Override
		protected boolean isExistingTransaction(Object transaction) {
			return (boolean) transaction;
		}

		@Override
		protected Mono<Void> doBegin(TransactionSynchronizationManager manager, Object transaction,
				TransactionDefinition definition) {
			return Mono.empty();
		}

		@Override
		protected Mono<Object> doSuspend(TransactionSynchronizationManager manager, Object transaction) {
			return Mono.just("suspended");
		}

		@Override
		protected Mono<Void> doResume(TransactionSynchronizationManager manager, @Nullable Object transaction,
				Object suspended) {
			return Mono.empty();
		}

		@Override
		protected Mono<Void> doCommit(TransactionSynchronizationManager manager, GenericReactiveTransaction status) {
			return write("commit");
		}

		@Override
		protected Mono<Void> doRollback(TransactionSynchronizationManager manager, GenericReactiveTransaction status) {
			return write("rollback");
		}

		private Mono<Void> write(String how) {
			return Mono.fromRunnable(() -> {
				reach(Point.WRITE);
				this.ends.add(how + ", held: " + this.held.getAsBoolean());
				this.written = true;
			});
		}

		/**
		 * A callback, which Spring asks for its order when it looks up all of them.
		 */
		private record Callback(Transactions transactions, Point point) implements TransactionSynchronization, Ordered {

			@Override
			public int getOrder() {
				if (this.transactions.written) {
					this.transactions.reach(Point.SNAPSHOT);
				}
				return LOWEST_PRECEDENCE;
			}

			@Override
			public Mono<Void> beforeCommit(boolean readOnly) {
				return Mono.fromRunnable(() -> {
					if (this.transactions.refusing) {
						this.transactions.written = true;
						throw new TransactionSystemException("refused");
					}
				});
			}

			@Override
			public Mono<Void> beforeCompletion() {
				return Mono.fromRunnable(() -> this.transactions.reach(Point.BEFORE_COMPLETION));
			}

			@Override
			public Mono<Void> afterCompletion(int status) {
				return Mono.fromRunnable(() -> this.transactions.reach(this.point));
			}

		}

	}

}
