package io.redelay.scheduling;

import java.time.Duration;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Supplier;

import org.jspecify.annotations.Nullable;

/**
 * For how long the reads of a thread wait for Redis: without limit, unless they run
 * {@linkplain #within within} one.
 *
 * @since 0.1.0
 */
public final class AnswerLimit {

	private static final ThreadLocal<AnswerLimit> LIMIT = new ThreadLocal<>();

	private final Duration longest;

	private boolean over;

	private AnswerLimit(Duration longest) {
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
			return answer.get();
		}
		try {
			return answer.get(limit.over ? 0 : limit.longest.toMillis(), TimeUnit.MILLISECONDS);
		}
		catch (TimeoutException ex) {
			limit.over = true;
			TimeoutException late = new TimeoutException(
					"Redis has not answered for " + limit.longest.toSeconds() + " s");
			late.initCause(ex);
			throw late;
		}
	}

}
