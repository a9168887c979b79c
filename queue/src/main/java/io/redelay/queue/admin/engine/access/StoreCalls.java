package io.redelay.queue.admin.engine.access;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.Lock;
import java.util.function.Supplier;

import io.redelay.queue.admin.QueueBackendException;
import io.redelay.queue.request.StoreException;
import io.redelay.scheduling.AnswerLimit;
import org.jspecify.annotations.Nullable;

/**
 * Waits for the store.
 *
 * @since 0.1.0
 */
public final class StoreCalls {

	private StoreCalls() {
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
			return AnswerLimit.await(future);
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
			throw new QueueBackendException(
					"The thread was interrupted while it waited for Redis' answer, so it is unknown"
							+ " whether Redis did what it was asked for",
					ex);
		}
		catch (TimeoutException ex) {
			throw new QueueBackendException(String.valueOf(ex.getMessage()), ex);
		}
		catch (ExecutionException ex) {
			Throwable cause = (ex.getCause() != null) ? ex.getCause() : ex;
			throw new QueueBackendException(String.valueOf(cause.getMessage()), cause);
		}
	}

	/**
	 * Returns whether Redis answered a request with an error, so that a request for
	 * another queue may succeed.
	 * @param failure how a call failed
	 * @return whether it was refused
	 */
	public static boolean isRefusal(QueueBackendException failure) {
		Throwable cause = failure.getCause();
		return !StoreException.isAway(cause) && !(cause instanceof InterruptedException)
				&& !(cause instanceof TimeoutException);
	}

	/**
	 * Runs reads that one thread makes at a time, see {@link AnswerLimit#inTurn}.
	 * @param lock has the thread that makes them
	 * @param reads the reads
	 * @param <T> the type of what they give
	 * @return what they give
	 * @throws QueueBackendException if another thread makes them for too long
	 */
	public static <T extends @Nullable Object> T inTurn(Lock lock, Supplier<T> reads) {
		try {
			return AnswerLimit.inTurn(lock, reads);
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
			throw new QueueBackendException(
					"The thread was interrupted while it waited for another one that asks Redis for the same", ex);
		}
		catch (TimeoutException ex) {
			throw new QueueBackendException(String.valueOf(ex.getMessage()), ex);
		}
	}

}
