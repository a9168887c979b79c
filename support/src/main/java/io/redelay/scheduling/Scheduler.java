package io.redelay.scheduling;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeoutException;

import org.jspecify.annotations.Nullable;

/**
 * Time and threads: a monotonic clock, a timer, and an executor for tasks that may block.
 * All waiting code takes its time from here, so that a test can move the time by hand and
 * run everything on one thread.
 * <p>
 * Nothing here throws because a task is rejected. Each method reports whether the task
 * will run, and the caller copes without it.
 * <p>
 * Safe for use by many threads.
 *
 * @since 0.1.0
 */
public interface Scheduler {

	/**
	 * Returns the time of a monotonic clock, of which only differences mean anything.
	 * @return the time in nanoseconds
	 */
	long nanoTime();

	/**
	 * Runs a task on the timer's thread after a delay. The task must be short and must
	 * not block, as all others wait for it.
	 * @param task the task
	 * @param delayNanos the delay in nanoseconds; the task runs as soon as possible if it
	 * is not positive
	 * @return a handle to cancel the task, or {@code null} if it will not run because the
	 * timer is closed, or can start no thread, and the timer of the JVM, which takes its
	 * place then, can start none either
	 */
	@Nullable ScheduledTask schedule(Runnable task, long delayNanos);

	/**
	 * Runs a task on a thread of the executor, where it may block.
	 * @param task the task
	 * @return whether it will run; it does not if the executor is closed or full, or if
	 * no thread can be started
	 */
	boolean execute(Runnable task);

	/**
	 * Runs a task on the timer's thread after a delay.
	 * @param task the task, which must be short and must not block
	 * @param delay the delay
	 * @return a handle to cancel the task, or {@code null} if it will not run
	 */
	default @Nullable ScheduledTask schedule(Runnable task, Duration delay) {
		return schedule(task, delay.toNanos());
	}

	/**
	 * Runs a task on the timer's thread again and again. It goes on if the task throws,
	 * and ends when it is cancelled or the timer is closed.
	 * @param task the task, which must be short and must not block
	 * @param first the delay of the first run
	 * @param pause the time from the end of a run to the next
	 * @return a handle to cancel the task, or {@code null} if it will not run
	 */
	default @Nullable ScheduledTask repeat(Runnable task, Duration first, Duration pause) {
		RepeatedTask repeated = new RepeatedTask(this, task, pause.toNanos());
		return repeated.start(first.toNanos()) ? repeated : null;
	}

	/**
	 * Limits the time that a future has: it fails with a {@link TimeoutException} when
	 * the time is over, on the timer's thread. Nothing limits it if the timer is closed.
	 * @param future the future
	 * @param limitNanos the time in nanoseconds
	 * @param <T> the type of its result
	 * @return the same future
	 */
	default <T extends @Nullable Object> CompletableFuture<T> limit(CompletableFuture<T> future, long limitNanos) {
		if (!future.isDone()) {
			ScheduledTask end = schedule(() -> future.completeExceptionally(new TimeoutException()), limitNanos);
			if (end != null) {
				future.whenComplete((result, failure) -> end.cancel());
			}
		}
		return future;
	}

	/**
	 * Limits the time that a future has.
	 * @param future the future
	 * @param limit the time
	 * @param <T> the type of its result
	 * @return the same future
	 */
	default <T extends @Nullable Object> CompletableFuture<T> limit(CompletableFuture<T> future, Duration limit) {
		return limit(future, limit.toNanos());
	}

	/**
	 * Returns a scheduler of the same clock and threads whose timer is never closed.
	 * @return the scheduler, which is this one if its own timer is never closed
	 */
	default Scheduler unclosed() {
		return this;
	}

	/**
	 * Returns a scheduler of a timer and an executor.
	 * @param timer the timer, closed by its owner
	 * @param executor the executor, closed by its owner
	 * @return the scheduler
	 */
	static Scheduler of(ScheduledExecutorService timer, Executor executor) {
		return new TimerScheduler(timer, executor);
	}

	/**
	 * Returns a scheduler whose timer is the one of the JVM, which is never closed: for
	 * work that has to end even after the application's context has closed.
	 * @param executor the executor, closed by its owner
	 * @return the scheduler
	 */
	static Scheduler unclosed(Executor executor) {
		return new SystemScheduler(executor);
	}

}
