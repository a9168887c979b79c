package io.redelay.scheduling;

import java.time.Duration;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.Lock;
import java.util.function.Supplier;

import org.jspecify.annotations.Nullable;

/**
 * How a thread waits for Redis: its reads without limit, unless they run
 * {@linkplain #within within} one.
 *
 * @since 0.1.0
 */
public final class AnswerLimit {

	private static final ThreadLocal<AnswerLimit> LIMIT = new ThreadLocal<>();

	private static final ThreadLocal<Waiting> WAITING = new ThreadLocal<>();

	private final Duration whole;

	/**
	 * For how long the next answer is waited for.
	 */
	private Duration longest;

	private boolean over;

	private AnswerLimit(Duration longest) {
		this.whole = longest;
		this.longest = longest;
	}

	/**
	 * Runs reads that wait for no answer longer than a time. When one has not come, the
	 * rest fails at once.
	 * @param longest the time
	 * @param reads the reads, in this thread
	 * @param <T> the type of what they give
	 * @return what they give
	 */
	public static <T extends @Nullable Object> T within(Duration longest, Supplier<T> reads) {
		AnswerLimit outer = LIMIT.get();
		LIMIT.set(new AnswerLimit(longest));
		try {
			return reads.get();
		}
		finally {
			if (outer != null) {
				LIMIT.set(outer);
			}
			else {
				LIMIT.remove();
			}
		}
	}

	/**
	 * Runs a task whose thread does something else in place of waiting for answers.
	 * @param waiting called before each wait
	 * @param task the task, in this thread
	 */
	static void waitingBy(Waiting waiting, Runnable task) {
		Waiting outer = WAITING.get();
		WAITING.set(waiting);
		try {
			task.run();
		}
		finally {
			if (outer != null) {
				WAITING.set(outer);
			}
			else {
				WAITING.remove();
			}
		}
	}

	/**
	 * Waits for an answer.
	 * @param answer the answer
	 * @param <T> its type
	 * @return the answer
	 * @throws InterruptedException if this thread was interrupted
	 * @throws ExecutionException if the request failed
	 * @throws TimeoutException if there is none within the limit of this thread
	 */
	public static <T extends @Nullable Object> T await(Future<T> answer)
			throws InterruptedException, ExecutionException, TimeoutException {
		AnswerLimit limit = LIMIT.get();
		if (limit == null) {
			Waiting waiting = WAITING.get();
			if (waiting != null) {
				waiting.await(answer, Long.MAX_VALUE);
			}
			return answer.get();
		}
		try {
			return answer.get(limit.over ? 0 : limit.longest.toMillis(), TimeUnit.MILLISECONDS);
		}
		catch (TimeoutException ex) {
			limit.over = true;
			TimeoutException late = limit.late();
			late.initCause(ex);
			throw late;
		}
	}

	/**
	 * Runs reads that one thread makes at a time, for the others as well. The lock is
	 * waited for as an answer is, and the answers then for as much shorter.
	 * @param lock has the thread that makes them
	 * @param reads the reads, in this thread
	 * @param <T> the type of what they give
	 * @return what they give
	 * @throws InterruptedException if this thread was interrupted
	 * @throws TimeoutException if the lock is not free within the limit of this thread
	 */
	public static <T extends @Nullable Object> T inTurn(Lock lock, Supplier<T> reads)
			throws InterruptedException, TimeoutException {
		AnswerLimit limit = LIMIT.get();
		if (limit == null) {
			lock.lockInterruptibly();
			return unlocking(lock, reads);
		}
		long begun = System.nanoTime();
		if (!lock.tryLock(limit.over ? 0 : limit.longest.toMillis(), TimeUnit.MILLISECONDS)) {
			limit.over = true;
			throw limit.late();
		}
		Duration longest = limit.longest;
		limit.longest = longest.minusNanos(Math.min(longest.toNanos(), System.nanoTime() - begun));
		try {
			return unlocking(lock, reads);
		}
		finally {
			limit.longest = longest;
		}
	}

	private static <T extends @Nullable Object> T unlocking(Lock lock, Supplier<T> reads) {
		try {
			return reads.get();
		}
		finally {
			lock.unlock();
		}
	}

	private TimeoutException late() {
		return new TimeoutException("Redis has not answered for " + this.whole.toSeconds() + " s");
	}

	/**
	 * Waits for an answer for a time that does not depend on the limit of this thread.
	 * @param answer the answer
	 * @param limitNanos how long to wait, in nanoseconds
	 * @param <T> its type
	 * @return the answer
	 * @throws InterruptedException if this thread was interrupted
	 * @throws ExecutionException if the request failed
	 * @throws TimeoutException if there is none by then
	 */
	public static <T extends @Nullable Object> T await(Future<T> answer, long limitNanos)
			throws InterruptedException, ExecutionException, TimeoutException {
		Waiting waiting = WAITING.get();
		if (waiting != null) {
			waiting.await(answer, limitNanos);
		}
		return answer.get(limitNanos, TimeUnit.NANOSECONDS);
	}

	/**
	 * What a thread does in place of waiting.
	 */
	interface Waiting {

		/**
		 * Returns when an answer is there.
		 * @param limitNanos how long to wait, in nanoseconds
		 * @throws TimeoutException if it is not there by then
		 */
		void await(Future<?> answer, long limitNanos) throws TimeoutException;

	}

}
