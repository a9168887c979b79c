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
		Refusable refusable = new Refusable(task);
		try {
			Future<?> future = this.timer.schedule(refusable, delayNanos, TimeUnit.NANOSECONDS);
			return () -> future.cancel(false);
		}
		catch (RejectedExecutionException | OutOfMemoryError ex) {
			// The JVM says by the error that it cannot start the thread of the timer,
			// which has the task in its queue by then.
			refusable.refused = true;
			return null;
		}
	}

	/**
	 * A task that does nothing once the caller was told that it will not run.
	 */
	private static final class Refusable implements Runnable {

		private final Runnable task;

		private volatile boolean refused;

		Refusable(Runnable task) {
			this.task = task;
		}

		@Override
		public void run() {
			if (!this.refused) {
				this.task.run();
			}
		}

	}

}
