package io.redelay.queue.admin.engine.access;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Supplier;

import io.redelay.queue.admin.QueueBackendException;
import org.jspecify.annotations.Nullable;

/**
 * Waits for the store.
 *
 * @since 0.1.0
 */
public final class StoreCalls {

	/**
	 * The limit of the reads of this thread, if they have one.
	 */
	private static final ThreadLocal<Limit> LIMIT = new ThreadLocal<>();

	private StoreCalls() {
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
		Limit outer = LIMIT.get();
		LIMIT.set(new Limit(longest));
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
	 * @param future the answer
	 * @param <T> its type
	 * @return the answer
	 * @throws QueueBackendException if there is none
	 */
	public static <T extends @Nullable Object> T await(CompletableFuture<T> future) {
		try {
			Limit limit = LIMIT.get();
			return (limit != null) ? limit.await(future) : future.get();
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
			throw new QueueBackendException(
					"The thread was interrupted while it waited for Redis' answer, so it is unknown"
							+ " whether Redis did what it was asked for",
					ex);
		}
		catch (ExecutionException ex) {
			Throwable cause = (ex.getCause() != null) ? ex.getCause() : ex;
			throw new QueueBackendException(String.valueOf(cause.getMessage()), cause);
		}
	}

	/**
	 * For how long reads wait.
	 */
	private static final class Limit {

		private final Duration longest;

		private boolean over;

		Limit(Duration longest) {
			this.longest = longest;
		}

		<T extends @Nullable Object> T await(CompletableFuture<T> future)
				throws InterruptedException, ExecutionException {
			try {
				return future.get(this.over ? 0 : this.longest.toMillis(), TimeUnit.MILLISECONDS);
			}
			catch (TimeoutException ex) {
				this.over = true;
				throw new QueueBackendException("Redis has not answered for " + this.longest.toSeconds() + " s", ex);
			}
		}

	}

}
