package io.redelay.lock;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

import org.jspecify.annotations.Nullable;

import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/**
 * Releases the locks of a call when what they protect has ended. What that returned or
 * threw is never replaced, but by a {@link LockLostException} where one is asked for.
 */
final class LockRelease {

	private final LockSettings settings;

	private final LockEvents events;

	private final LockThreads threads;

	LockRelease(LockSettings settings, LockEvents events, LockThreads threads) {
		this.settings = settings;
		this.events = events;
		this.threads = threads;
	}

	void afterFailure(LockFrame frame, HeldLocks held) {
		if (!waitsForTransaction(() -> finish(frame, held))) {
			finish(frame, held);
		}
	}

	void afterSuccess(LockFrame frame, HeldLocks held) {
		if (waitsForTransaction(() -> finish(frame, held))) {
			return;
		}
		if (!finish(frame, held) && frame.spec().leaseLost() == LeaseLost.THROW) {
			throw new LockLostException(frame.spec().names());
		}
	}

	/**
	 * Holds the locks until a stage completes, though its thread may go on.
	 * @return what to return instead of the stage, which completes when the locks are
	 * released if that can be
	 */
	@SuppressWarnings("unchecked")
	<T> T afterStage(LockFrame frame, HeldLocks held, T result, CompletionStage<?> stage) {
		CompletableFuture<Void> transaction = new CompletableFuture<>();
		if (waitsForTransaction(() -> {
			held.remove(frame);
			transaction.complete(null);
		})) {
			// Whoever waits for the stage may be the one who will end the transaction.
			stage.whenComplete((value, ex) -> transaction.thenRun(() -> releaseAsync(frame)));
			return result;
		}
		held.remove(frame);
		if (stage.getClass() != CompletableFuture.class) {
			stage.whenComplete((value, ex) -> releaseAsync(frame));
			return result;
		}
		CompletableFuture<@Nullable Object> outer = new CompletableFuture<>();
		stage.whenComplete((value, ex) -> releaseAsync(frame).whenComplete((kept, none) -> {
			if (ex != null) {
				outer.completeExceptionally(
						(ex instanceof CompletionException && ex.getCause() != null) ? ex.getCause() : ex);
			}
			else if (!kept && frame.spec().leaseLost() == LeaseLost.THROW) {
				outer.completeExceptionally(new LockLostException(frame.spec().names()));
			}
			else {
				outer.complete(value);
			}
		}));
		outer.whenComplete((value, ex) -> {
			if (outer.isCancelled()) {
				stage.toCompletableFuture().cancel(true);
			}
		});
		return (T) outer;
	}

	/**
	 * Releases locks and tells of it.
	 * @return whether all were kept until then, as far as is known; completed on a thread
	 * that may run an application's code
	 */
	CompletableFuture<Boolean> releaseAsync(LockFrame frame) {
		CompletableFuture<Boolean> released = frame.release();
		if (!frame.isFresh() && released.isDone()) {
			return released.exceptionally((ex) -> true);
		}
		return released.copy()
			.orTimeout(this.settings.releaseTimeout().toNanos(), TimeUnit.NANOSECONDS)
			.handleAsync((kept, ex) -> {
				this.events.ended(frame, kept, (ex instanceof CompletionException) ? ex.getCause() : ex);
				return ex != null || kept;
			}, this.threads.executor());
	}

	/**
	 * Releases locks and waits for it, whether the thread is interrupted or not.
	 * @return whether all were kept until then, as far as is known
	 */
	private boolean finish(LockFrame frame, HeldLocks held) {
		held.remove(frame);
		CompletableFuture<Boolean> released = frame.release();
		boolean interrupted = Thread.interrupted();
		long deadline = System.nanoTime() + this.settings.releaseTimeout().toNanos();
		try {
			while (true) {
				try {
					boolean kept = released.get(deadline - System.nanoTime(), TimeUnit.NANOSECONDS);
					this.events.ended(frame, kept, null);
					return kept;
				}
				catch (InterruptedException ex) {
					interrupted = true;
				}
			}
		}
		catch (ExecutionException | TimeoutException ex) {
			this.events.ended(frame, null, (ex.getCause() != null) ? ex.getCause() : ex);
			return true;
		}
		finally {
			if (interrupted) {
				Thread.currentThread().interrupt();
			}
		}
	}

	/**
	 * Puts something off to the end of the transaction around, if there is one.
	 */
	private static boolean waitsForTransaction(Runnable action) {
		if (!TransactionSynchronizationManager.isSynchronizationActive()
				|| !TransactionSynchronizationManager.isActualTransactionActive()) {
			return false;
		}
		TransactionSynchronizationManager.registerSynchronization(new TransactionSynchronization() {

			@Override
			public void afterCompletion(int status) {
				action.run();
			}

		});
		return true;
	}

}
