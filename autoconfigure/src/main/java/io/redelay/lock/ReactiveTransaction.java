package io.redelay.lock;

import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;

import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Mono;

import org.springframework.transaction.NoTransactionException;
import org.springframework.transaction.reactive.TransactionSynchronization;
import org.springframework.transaction.reactive.TransactionSynchronizationManager;

/**
 * The reactive transaction that a subscription is part of, if it is part of one. It holds
 * the locks of the publishers in it that have ended, until it is complete.
 *
 * @param manager what is told of its end, or {@code null} if there is no transaction
 */
record ReactiveTransaction(@Nullable TransactionSynchronizationManager manager) {

	private static final ReactiveTransaction NONE = new ReactiveTransaction(null);

	static Mono<ReactiveTransaction> current() {
		return TransactionSynchronizationManager.forCurrentTransaction()
			.map(ReactiveTransaction::new)
			.onErrorReturn(NoTransactionException.class, NONE);
	}

	/**
	 * The locks that it holds.
	 */
	@Nullable HeldLocks held() {
		return (this.manager != null) ? (HeldLocks) this.manager.getResource(HeldLocks.class) : null;
	}

	/**
	 * Holds locks until the transaction is complete.
	 * @param frame the locks
	 * @param release releases them
	 * @return whether it does, which it does not if there is no transaction any more
	 */
	boolean hold(LockFrame frame, Supplier<? extends CompletionStage<?>> release) {
		TransactionSynchronizationManager manager = this.manager;
		if (manager == null || !manager.isSynchronizationActive() || !manager.isActualTransactionActive()) {
			return false;
		}
		HeldLocks held = held();
		if (held == null) {
			held = HeldLocks.with(null, frame);
			manager.bindResource(HeldLocks.class, held);
		}
		else {
			held.add(frame);
		}
		manager.registerSynchronization(new Release(held, frame, release));
		return true;
	}

	/**
	 * Releases locks at the end of a transaction.
	 */
	private record Release(HeldLocks held, LockFrame frame,
			Supplier<? extends CompletionStage<?>> release) implements TransactionSynchronization {

		@Override
		public Mono<Void> afterCompletion(int status) {
			return Mono.fromCompletionStage(() -> {
				this.held.remove(this.frame);
				return this.release.get();
			}).then();
		}

	}

}
