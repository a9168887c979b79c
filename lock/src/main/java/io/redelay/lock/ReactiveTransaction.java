package io.redelay.lock;

import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;

import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Mono;

import org.springframework.transaction.NoTransactionException;
import org.springframework.transaction.reactive.TransactionSynchronization;
import org.springframework.transaction.reactive.TransactionSynchronizationManager;

/**
 * The reactive transaction of a subscription, if there is one. It keeps the locks of
 * publishers in it that have ended, until it completes.
 *
 * @param manager reports the completion, or {@code null} if there is no transaction
 */
record ReactiveTransaction(@Nullable TransactionSynchronizationManager manager) {

	private static final ReactiveTransaction NONE = new ReactiveTransaction(null);

	static Mono<ReactiveTransaction> current() {
		return TransactionSynchronizationManager.forCurrentTransaction()
			.map(ReactiveTransaction::new)
			.onErrorReturn(NoTransactionException.class, NONE);
	}

	/**
	 * Returns the locks that the transaction keeps.
	 */
	@Nullable HeldLocks held() {
		return (this.manager != null) ? (HeldLocks) this.manager.getResource(HeldLocks.class) : null;
	}

	/**
	 * Keeps locks until the transaction completes.
	 * @param frame the locks
	 * @param release releases them
	 * @return whether the transaction keeps them; {@code false} if there is none any more
	 */
	boolean hold(LockFrame frame, Supplier<? extends CompletionStage<?>> release) {
		TransactionSynchronizationManager manager = this.manager;
		if (manager == null || !manager.isSynchronizationActive() || !manager.isActualTransactionActive()) {
			return false;
		}
		HeldLocks before = held();
		HeldLocks held = (before != null) ? before : HeldLocks.with(null, frame);
		if (before != null) {
			held.add(frame);
		}
		else {
			manager.bindResource(HeldLocks.class, held);
		}
		manager.registerSynchronization(new TransactionSynchronization() {

			@Override
			public Mono<Void> afterCompletion(int status) {
				return Mono.fromCompletionStage(() -> {
					held.remove(frame);
					return release.get();
				}).then();
			}

		});
		return true;
	}

}
