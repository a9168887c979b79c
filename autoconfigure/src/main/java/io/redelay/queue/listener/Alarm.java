package io.redelay.queue.listener;

import java.time.Duration;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;

import org.jspecify.annotations.Nullable;

/**
 * Does something some time from now, unless it is cancelled before. Not safe for use by
 * several threads.
 */
final class Alarm {

	private final ScheduledExecutorService timer;

	private @Nullable ScheduledFuture<?> pending;

	Alarm(ScheduledExecutorService timer) {
		this.timer = timer;
	}

	/**
	 * Sets the alarm.
	 * @return whether it will ring: it does not when the application is closing
	 */
	boolean set(Runnable action, Duration delay) {
		try {
			this.pending = this.timer.schedule(action, delay.toNanos(), TimeUnit.NANOSECONDS);
			return true;
		}
		catch (RejectedExecutionException ex) {
			return false;
		}
	}

	void cancel() {
		if (this.pending != null) {
			this.pending.cancel(false);
			this.pending = null;
		}
	}

}
