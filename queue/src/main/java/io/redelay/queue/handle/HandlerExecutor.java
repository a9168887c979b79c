package io.redelay.queue.handle;

import java.time.Duration;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;

import io.redelay.log.PlainLog;
import io.redelay.scheduling.ScheduledTask;
import io.redelay.scheduling.Scheduler;
import org.apache.commons.logging.Log;
import org.jspecify.annotations.Nullable;

/**
 * The threads that run the handlers of one listener. If the executor has no thread, as
 * when the process may not start another one, the task is tried again later.
 * <p>
 * Safe for use by many threads.
 *
 * @param listener the id of the listener
 * @param executor runs handlers
 * @param scheduler the clock that measures handlers, and the timer
 */
record HandlerExecutor(String listener, Executor executor, Scheduler scheduler) {

	/**
	 * How long to wait after the executor had no thread.
	 */
	static final Duration PAUSE_WITHOUT_THREAD = Duration.ofSeconds(1);

	private static final Log logger = PlainLog.of(HandlerExecutor.class);

	/**
	 * Runs a task, if there is a thread for it.
	 * @return whether it runs; if not, this method has logged that
	 */
	boolean tryExecute(Runnable task) {
		try {
			this.executor.execute(task);
			return true;
		}
		catch (Throwable ex) {
			noThread(ex);
			return false;
		}
	}

	/**
	 * Runs a task, later if there is no thread for it now.
	 * @param task the task
	 * @param closing run instead, on this thread or the timer's, if the application is
	 * closing
	 */
	void execute(Runnable task, Runnable closing) {
		try {
			this.executor.execute(task);
		}
		catch (RejectedExecutionException ex) {
			closing.run();
		}
		catch (Throwable ex) {
			noThread(ex);
			if (schedule(() -> execute(task, closing), PAUSE_WITHOUT_THREAD.toNanos()) == null) {
				closing.run();
			}
		}
	}

	/**
	 * Runs a task after a delay.
	 * @return the handle to cancel it, or {@code null} if it will not run because the
	 * application is closing
	 */
	@Nullable ScheduledTask executeLater(Runnable task, Duration delay) {
		return schedule(() -> execute(task, () -> {
		}), delay.toNanos());
	}

	/**
	 * Runs a short task on the timer's thread after a delay.
	 * @return the handle to cancel it, or {@code null} if it will not run because the
	 * application is closing
	 */
	@Nullable ScheduledTask schedule(Runnable task, long delayNanos) {
		return this.scheduler.schedule(task, delayNanos);
	}

	/**
	 * Returns the time of the clock that measures handlers.
	 */
	long nanoTime() {
		return this.scheduler.nanoTime();
	}

	private void noThread(Throwable failure) {
		logger.error("There is no thread for the listener '" + this.listener + "', which tries again in "
				+ PAUSE_WITHOUT_THREAD, failure);
	}

}
