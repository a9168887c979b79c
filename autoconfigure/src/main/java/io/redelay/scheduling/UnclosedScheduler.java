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
	public ScheduledTask schedule(Runnable task, long delayNanos) {
		CompletableFuture<@Nullable Void> due = new CompletableFuture<>();
		due.thenRun(task);
		due.completeOnTimeout(null, delayNanos, TimeUnit.NANOSECONDS);
		return () -> due.cancel(false);
	}

}
