package io.redelay.scheduling;

import java.util.concurrent.Executor;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;

import org.jspecify.annotations.Nullable;

/**
 * Schedules on a timer that its owner closes.
 */
final class TimerScheduler extends SystemScheduler {

	private final ScheduledExecutorService timer;

	TimerScheduler(ScheduledExecutorService timer, Executor executor) {
		super(executor);
		this.timer = timer;
	}

	@Override
	public Scheduler unclosed() {
		return Scheduler.unclosed((task) -> {
			if (!execute(task)) {
				throw new RejectedExecutionException();
			}
		});
	}

	@Override
	public @Nullable ScheduledTask schedule(Runnable task, long delayNanos) {
		AtomicBoolean refused = new AtomicBoolean();
		try {
			Future<?> future = this.timer.schedule(() -> {
				if (!refused.get()) {
					task.run();
				}
			}, delayNanos, TimeUnit.NANOSECONDS);
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
			// task in its queue by then. The thread of the JVM's timer most often exists
			// already. A refused task would count as a closed timer and end a listener.
			refused.set(true);
			return super.schedule(() -> {
				if (!this.timer.isShutdown()) {
					task.run();
				}
			}, delayNanos);
		}
	}

}
