package io.redelay.scheduling;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;

import org.jspecify.annotations.Nullable;

/**
 * Schedules on the timer of the JVM.
 */
final class UnclosedScheduler extends SystemScheduler {

	UnclosedScheduler(Executor executor) {
		super(executor);
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
