package io.redelay.lock;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.BooleanSupplier;

import org.jspecify.annotations.Nullable;

import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/**
 * Releases the locks of a call when the protected code has ended. The result or exception
 * of that code is never replaced, except by a {@link LockLostException} if the
 * specification asks for one.
 *
 * @param settings the settings of all locks
 * @param events publishes the releases
 * @param threads run what continues after an answer of Redis
 */
record LockRelease(LockSettings settings, LockEvents events, LockThreads threads) {

	void afterFailure(LockFrame frame, HeldLocks held) {
		if (!waitsForTransaction(() -> false, frame, () -> finish(frame, held))) {
			finish(frame, held);
		}
	}

	void afterSuccess(LockFrame frame, HeldLocks held) {
		if (waitsForTransaction(() -> true, frame, () -> finish(frame, held))) {
			return;
		}
		if (!finish(frame, held) && frame.throwsIfLost()) {
			throw new LockLostException(frame.spec().names());
		}
	}

	/**
	 * Holds the locks until a stage completes, though its thread may go on.
	 * @param declared the type that the caller expects, if it is known
	 * @return the result to return in place of the stage; if its type allows, it
	 * completes when the locks are released
	 */
	@SuppressWarnings("unchecked")
	<T> T afterStage(LockFrame frame, HeldLocks held, T result, CompletionStage<?> stage, @Nullable Class<?> declared) {
		CompletableFuture<Void> transaction = new CompletableFuture<>();
		if (!waitsForTransaction(() -> !hasFailed(stage), frame, () -> {
			held.remove(frame);
			transaction.complete(null);
		})) {
			held.remove(frame);
			transaction.complete(null);
		}
		CompletableFuture<@Nullable Object> outer = new CompletableFuture<>();
		try {
			stage.whenComplete((value, ex) -> {
				if (transaction.isDone()) {
					releaseAsync(frame).whenComplete((kept, none) -> settle(outer, frame, value, ex, kept));
				}
				else {
					// The caller that waits for the stage may be the one that ends the
					// transaction, and the transaction checks the locks before it
					// commits.
					transaction.thenRun(() -> releaseAsync(frame));
					settle(outer, frame, value, ex, true);
				}
			});
		}
		catch (Throwable ex) {
			transaction.thenRun(() -> releaseAsync(frame));
			throw ex;
		}
		if (!isReplaceable(frame, stage, declared)) {
			return result;
		}
		outer.whenComplete((value, ex) -> {
			if (outer.isCancelled()) {
				stage.toCompletableFuture().cancel(true);
			}
		});
		return (T) outer;
	}

	private static boolean isReplaceable(LockFrame frame, CompletionStage<?> stage, @Nullable Class<?> declared) {
		if (declared != null && declared != Object.class) {
			return declared.isAssignableFrom(CompletableFuture.class);
		}
		return stage.getClass() == CompletableFuture.class || frame.throwsIfLost();
	}

	private static boolean hasFailed(CompletionStage<?> stage) {
		try {
			return stage.toCompletableFuture().isCompletedExceptionally();
		}
		catch (UnsupportedOperationException ex) {
			return false;
		}
	}

	private static void settle(CompletableFuture<@Nullable Object> outer, LockFrame frame, @Nullable Object value,
			@Nullable Throwable failure, @Nullable Boolean kept) {
		if (failure != null) {
			outer.completeExceptionally((failure instanceof CompletionException && failure.getCause() != null)
					? failure.getCause() : failure);
		}
		else if (Boolean.FALSE.equals(kept) && frame.throwsIfLost()) {
			outer.completeExceptionally(new LockLostException(frame.spec().names()));
		}
		else {
			outer.complete(value);
		}
	}

	/**
	 * Releases the locks and publishes the event.
	 * @return whether all were held until then, as far as is known; completed on a thread
	 * that may run code of the application
	 */
	CompletableFuture<Boolean> releaseAsync(LockFrame frame) {
		CompletableFuture<Boolean> released = frame.release();
		if (!frame.isFresh() && released.isDone()) {
			return released.exceptionally((ex) -> true);
		}
		return this.threads.scheduler()
			.limit(released.copy(), this.settings.releaseTimeout())
			.handleAsync((kept, ex) -> {
				this.events.ended(frame, kept, (ex instanceof CompletionException) ? ex.getCause() : ex);
				return ex != null || kept;
			}, this.threads.executor());
	}

	/**
	 * Releases the locks and waits for the answer, also if the thread is interrupted.
	 * @return whether all were held until then, as far as is known
	 */
	private boolean finish(LockFrame frame, HeldLocks held) {
		held.remove(frame);
		try {
			boolean kept = await(frame.release());
			this.events.ended(frame, kept, null);
			return kept;
		}
		catch (TimeoutException ex) {
			this.events.ended(frame, null, noAnswer());
			return true;
		}
		catch (ExecutionException ex) {
			this.events.ended(frame, null, (ex.getCause() != null) ? ex.getCause() : ex);
			return true;
		}
	}

	private boolean await(CompletableFuture<Boolean> answer) throws ExecutionException, TimeoutException {
		boolean interrupted = Thread.interrupted();
		long deadline = this.threads.scheduler().nanoTime() + this.settings.releaseTimeout().toNanos();
		try {
			while (true) {
				try {
					return answer.get(deadline - this.threads.scheduler().nanoTime(), TimeUnit.NANOSECONDS);
				}
				catch (InterruptedException ex) {
					interrupted = true;
				}
			}
		}
		finally {
			if (interrupted) {
				Thread.currentThread().interrupt();
			}
		}
	}

	/**
	 * Returns whether the locks are still held, as far as is known.
	 */
	private boolean areHeld(LockFrame frame) {
		try {
			return await(frame.isHeld());
		}
		catch (ExecutionException | TimeoutException ex) {
			return true;
		}
	}

	private TimeoutException noAnswer() {
		return new TimeoutException(
				"There was no answer to the release within the release timeout of " + this.settings.releaseTimeout());
	}

	/**
	 * Defers the release to the end of the surrounding transaction, if there is one. An
	 * exception after a commit would not reach the caller. So if a loss has to be thrown,
	 * it is checked before the commit and rolls the transaction back.
	 * @param successful whether the protected code has not failed so far
	 */
	private boolean waitsForTransaction(BooleanSupplier successful, LockFrame frame, Runnable action) {
		if (!TransactionSynchronizationManager.isSynchronizationActive()
				|| !TransactionSynchronizationManager.isActualTransactionActive()) {
			return false;
		}
		TransactionSynchronizationManager.registerSynchronization(new TransactionSynchronization() {

			@Override
			public void beforeCommit(boolean readOnly) {
				if (frame.throwsIfLost() && successful.getAsBoolean() && !areHeld(frame)) {
					throw new LockLostException(frame.spec().names());
				}
			}

			@Override
			public void afterCompletion(int status) {
				action.run();
			}

		});
		return true;
	}

}
