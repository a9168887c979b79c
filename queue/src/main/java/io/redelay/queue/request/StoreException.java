package io.redelay.queue.request;

import java.util.concurrent.CompletionException;

import org.jspecify.annotations.Nullable;

/**
 * The store did not carry out a request.
 *
 * @since 0.1.0
 */
public class StoreException extends RuntimeException {

	private final boolean away;

	public StoreException(String message, @Nullable Throwable cause) {
		this(message, cause, false);
	}

	public StoreException(String message, @Nullable Throwable cause, boolean away) {
		super(message, cause);
		this.away = away;
	}

	/**
	 * Returns whether the store was away or gave no answer, as opposed to a refusal. The
	 * log reports an absence once for all requests, see
	 * {@link io.redelay.queue.wire.RedisAvailability}.
	 * @param failure the failure of a request
	 * @return whether there is no need to log it
	 */
	public static boolean isAway(@Nullable Throwable failure) {
		Throwable cause = (failure instanceof CompletionException) ? failure.getCause() : failure;
		return cause instanceof StoreException exception && exception.away;
	}

	/**
	 * Returns why a future failed.
	 * @param thrown what a callback of the future gets
	 * @return the failure, without the {@link CompletionException} around it
	 */
	public static Throwable cause(Throwable thrown) {
		return (thrown instanceof CompletionException && thrown.getCause() != null) ? thrown.getCause() : thrown;
	}

}
