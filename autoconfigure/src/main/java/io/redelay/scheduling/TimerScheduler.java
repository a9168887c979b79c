package io.redelay.scheduling;

import java.util.concurrent.Executor;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;

import org.jspecify.annotations.Nullable;

/**
 * Schedules on a timer that somebody closes.
 */
final class TimerScheduler extends SystemScheduler {

	private final ScheduledExecutorService timer;

	TimerScheduler(ScheduledExecutorService timer, Executor executor) {
		super(executor);
		this.timer = timer;
	}

	@Override
	public @Nullable ScheduledTask schedule(Runnable task, long delayNanos) {
		try {
			Future<?> future = this.timer.schedule(task, delayNanos, TimeUnit.NANOSECONDS);
			return () -> future.cancel(false);
		}
		catch (RejectedExecutionException ex) {
			return null;
		}
	}

}
