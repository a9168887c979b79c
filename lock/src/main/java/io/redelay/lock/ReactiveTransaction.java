package io.redelay.lock;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;

import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

import org.springframework.transaction.NoTransactionException;
import org.springframework.transaction.reactive.TransactionSynchronization;
import org.springframework.transaction.reactive.TransactionSynchronizationManager;

/**
 * The reactive transaction of a subscription, if there is one. It keeps the locks of
 * publishers in it that have ended, until it completes.
 * <p>
 * A cancelled subscription may end, on its own thread, while the transaction completes on
 * another. A callback that is registered at that moment may never be called. So this is
 * registered before a lock is requested, and knows how far the completion is.
 */
final class ReactiveTransaction implements TransactionSynchronization {

	private static final ReactiveTransaction NONE = new ReactiveTransaction(null);

	private final @Nullable TransactionSynchronizationManager manager;

	/**
	 * The locks that {@link #afterCompletion(int)} releases.
	 */
	private final List<Kept> kept = new ArrayList<>(1);

	private Phase phase = Phase.COMPLETED;

	private ReactiveTransaction(@Nullable TransactionSynchronizationManager manager) {
		this.manager = manager;
	}

	static Mono<ReactiveTransaction> current() {
		return TransactionSynchronizationManager.forCurrentTransaction()
			.map(ReactiveTransaction::of)
			.onErrorReturn(NoTransactionException.class, NONE);
	}

	private static ReactiveTransaction of(TransactionSynchronizationManager manager) {
		ReactiveTransaction transaction = new ReactiveTransaction(manager);
		if (isActive(manager)) {
			transaction.enter(Phase.ACTIVE);
			try {
				manager.registerSynchronization(transaction);
			}
			catch (IllegalStateException ex) {
				// The transaction has completed meanwhile.
				transaction.enter(Phase.COMPLETED);
			}
		}
		return transaction;
	}

	private static boolean isActive(TransactionSynchronizationManager manager) {
		return manager.isSynchronizationActive() && manager.isActualTransactionActive();
	}

	/**
	 * Returns the locks that the transaction keeps.
	 */
	@Nullable HeldLocks held() {
		if (this.manager == null) {
			return null;
		}
		synchronized (ReactiveTransaction.class) {
			return (HeldLocks) this.manager.getResource(HeldLocks.class);
		}
	}

	/**
	 * Keeps locks until the transaction completes.
	 * @param frame the locks
	 * @param release releases them
	 * @return whether the transaction keeps them; {@code false} if there is none any more
	 */
	synchronized boolean hold(LockFrame frame, Supplier<? extends CompletionStage<?>> release) {
		TransactionSynchronizationManager manager = this.manager;
		if (manager == null || this.phase == Phase.SUSPENDED || this.phase == Phase.COMPLETED
				|| (this.phase == Phase.ACTIVE && !isActive(manager))) {
			return false;
		}
		Kept lock = new Kept(keep(manager, frame), frame, release);
		this.kept.add(lock);
		if (this.phase == Phase.ACTIVE) {
			// Called behind the callbacks that the publisher has registered, which so run
			// under the lock.
			manager.registerSynchronization(lock);
		}
		return true;
	}

	/**
	 * Adds locks to those that the transaction keeps. Two publishers in it may end at the
	 * same time.
	 */
	private static synchronized HeldLocks keep(TransactionSynchronizationManager manager, LockFrame frame) {
		HeldLocks held = (HeldLocks) manager.getResource(HeldLocks.class);
		if (held == null) {
			held = HeldLocks.with(null, frame);
			manager.bindResource(HeldLocks.class, held);
		}
		else {
			held.add(frame);
		}
		return held;
	}

	@Override
	public Mono<Void> suspend() {
		return Mono.fromRunnable(() -> enter(Phase.SUSPENDED));
	}

	@Override
	public Mono<Void> resume() {
		return Mono.fromRunnable(() -> enter(Phase.ACTIVE));
	}

	@Override
	public Mono<Void> beforeCompletion() {
		// What was kept before this is called itself after the completion.
		return Mono.fromRunnable(() -> enter(Phase.COMPLETING));
	}

	@Override
	public Mono<Void> afterCompletion(int status) {
		return Mono.defer(() -> Flux.fromIterable(enter(Phase.COMPLETED))
			.concatMapDelayError((lock) -> lock.afterCompletion(status))
			.then());
	}

	/**
	 * Enters a phase.
	 * @return the locks that were kept so far
	 */
	private synchronized List<Kept> enter(Phase phase) {
		this.phase = phase;
		List<Kept> kept = List.copyOf(this.kept);
		if (phase == Phase.COMPLETING || phase == Phase.COMPLETED) {
			this.kept.clear();
		}
		return kept;
	}

	private enum Phase {

		ACTIVE, SUSPENDED, COMPLETING, COMPLETED

	}

	/**
	 * The locks of a publisher that has ended.
	 *
	 * @param held the locks that the transaction keeps
	 * @param frame the locks
	 * @param release releases them
	 */
	private record Kept(HeldLocks held, LockFrame frame,
			Supplier<? extends CompletionStage<?>> release) implements TransactionSynchronization {

		@Override
		public Mono<Void> afterCompletion(int status) {
			return Mono.defer(() -> {
				if (this.frame.isReleased()) {
					return Mono.empty();
				}
				this.held.remove(this.frame);
				return Mono.fromCompletionStage(this.release.get()).then();
			});
		}

	}

}
