package io.redelay.scheduling;

import io.redelay.log.PlainLog;
import org.apache.commons.logging.Log;
import org.jspecify.annotations.Nullable;

/**
 * Runs a task again and again, and schedules each run when the one before has ended.
 */
final class RepeatedTask implements ScheduledTask {

	private static final Log logger = PlainLog.of(RepeatedTask.class);

	private final Scheduler scheduler;

	private final Runnable task;

	private final long pauseNanos;

	private @Nullable ScheduledTask next;

	private boolean cancelled;

	RepeatedTask(Scheduler scheduler, Runnable task, long pauseNanos) {
		this.scheduler = scheduler;
		this.task = task;
		this.pauseNanos = pauseNanos;
	}

	/**
	 * Schedules the next run, unless the task is cancelled.
	 * @return whether it will run
	 */
	synchronized boolean start(long delayNanos) {
		if (this.cancelled) {
			return false;
		}
		this.next = this.scheduler.schedule(this::run, delayNanos);
		return this.next != null;
	}

	private void run() {
		try {
			this.task.run();
		}
		catch (Throwable ex) {
			logger.error("A task that is run again and again failed, and goes on: " + this.task, ex);
		}
		start(this.pauseNanos);
	}

	@Override
	public synchronized void cancel() {
		this.cancelled = true;
		if (this.next != null) {
			this.next.cancel();
		}
	}

}
