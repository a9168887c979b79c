package io.redelay.scheduling;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;

import org.jspecify.annotations.Nullable;

/**
 * The JVM's clock and timer, and an executor of threads.
 */
class SystemScheduler implements Scheduler {

	private final Executor executor;

	SystemScheduler(Executor executor) {
		this.executor = executor;
	}

	@Override
	public final long nanoTime() {
		return System.nanoTime();
	}

	@Override
	public final boolean execute(Runnable task) {
		try {
			this.executor.execute(task);
			return true;
		}
		catch (RejectedExecutionException | OutOfMemoryError ex) {
			// The error means that the JVM cannot start a thread.
			return false;
		}
	}

	@Override
	public @Nullable ScheduledTask schedule(Runnable task, long delayNanos) {
		CompletableFuture<@Nullable Void> due = new CompletableFuture<>();
		due.thenRun(task);
		try {
			due.completeOnTimeout(null, delayNanos, TimeUnit.NANOSECONDS);
		}
		catch (OutOfMemoryError ex) {
			// It means that the JVM cannot start the thread of its timer, which may have
			// the task in its queue by then.
			due.cancel(false);
			return null;
		}
		return () -> due.cancel(false);
	}

}
