package io.redelay.scheduling;

import java.util.concurrent.Executor;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;

import org.jspecify.annotations.Nullable;

/**
 * Schedules on a timer that its owner closes.
 */
final class TimerScheduler extends SystemScheduler {

	/**
	 * The timer of the JVM, whose thread most often exists already, for when this one can
	 * start none: a refused task counts as a closed timer, and a listener would end
	 * there.
	 */
	private static final Scheduler SPARE = Scheduler.unclosed(Runnable::run);

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
			if (this.timer.isShutdown() && future.cancel(false)) {
				// It came while the timer was being closed, which cancels the tasks it
				// sees.
				return null;
			}
			return () -> future.cancel(false);
		}
		catch (RejectedExecutionException ex) {
			return null;
		}
		catch (OutOfMemoryError ex) {
			// It means that the JVM cannot start the thread of the timer, which has the
			// task in its queue by then.
			refusable.refused = true;
			return SPARE.schedule(() -> {
				if (!this.timer.isShutdown()) {
					task.run();
				}
			}, delayNanos);
		}
	}

	/**
	 * A task that does nothing once another timer has it.
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
