package io.redelay.queue;

import java.time.Duration;

import io.redelay.queue.limits.DueTime;
import org.jspecify.annotations.Nullable;

/**
 * Thrown by a handler to have its message delivered again after a delay of the handler's
 * choice, while it has attempts left.
 *
 * @since 0.1.0
 */
public class RetryMessageException extends QueueException {

	private final Duration delay;

	/**
	 * Creates an exception.
	 * @param delay how long to wait; 0 to 3650 days
	 * @throws IllegalArgumentException if it is another delay: the handling then fails
	 * with this exception
	 */
	public RetryMessageException(Duration delay) {
		this(delay, null);
	}

	/**
	 * Creates an exception.
	 * @param delay how long to wait; 0 to 3650 days
	 * @param cause why
	 * @throws IllegalArgumentException if it is another delay: the handling then fails
	 * with this exception
	 */
	public RetryMessageException(Duration delay, @Nullable Throwable cause) {
		super("To be delivered again after " + delay, cause);
		if (!DueTime.isPossible(delay)) {
			throw new IllegalArgumentException("'delay' must be 0 to 3650 days: " + delay, cause);
		}
		this.delay = delay;
	}

	/**
	 * How long to wait.
	 * @return the delay
	 */
	public Duration getDelay() {
		return this.delay;
	}

}
