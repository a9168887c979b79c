package io.redelay.scheduling;

import java.time.Duration;

import org.jspecify.annotations.Nullable;

/**
 * Runs an action after some time, unless it is cancelled before. If it is set again and
 * again, each time for later, the timer's thread runs only when the first time is over.
 * <p>
 * Safe for use by many threads.
 *
 * @since 0.1.0
 */
public final class Alarm {

	private final Scheduler scheduler;

	private @Nullable Runnable action;

	private long dueNanos;

	private @Nullable ScheduledTask pending;

	private long pendingNanos;

	public Alarm(Scheduler scheduler) {
		this.scheduler = scheduler;
	}

	/**
	 * Sets the alarm, in place of an earlier one.
	 * @return whether it will ring: it does not when the application is closing
	 */
	public synchronized boolean set(Runnable action, Duration delay) {
		this.action = action;
		this.dueNanos = this.scheduler.nanoTime() + delay.toNanos();
		if (this.pending != null && this.pendingNanos - this.dueNanos <= 0) {
			return true;
		}
		if (this.pending != null) {
			this.pending.cancel();
		}
		return schedule(delay.toNanos());
	}

	/**
	 * Cancels the alarm, for now: the timer is left as it is, for most alarms are set
	 * again soon.
	 */
	public synchronized void cancel() {
		this.action = null;
	}

	/**
	 * Cancels the alarm for good.
	 */
	public synchronized void close() {
		cancel();
		if (this.pending != null) {
			this.pending.cancel();
			this.pending = null;
		}
	}

	private boolean schedule(long nanos) {
		this.pendingNanos = this.dueNanos;
		this.pending = this.scheduler.schedule(this::ring, nanos);
		return this.pending != null;
	}

	private void ring() {
		Runnable due;
		synchronized (this) {
			this.pending = null;
			due = this.action;
			long rest = this.dueNanos - this.scheduler.nanoTime();
			if (due != null && rest > 0) {
				schedule(rest);
				return;
			}
			this.action = null;
		}
		if (due != null) {
			due.run();
		}
	}

}
