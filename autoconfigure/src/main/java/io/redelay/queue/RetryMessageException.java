package io.redelay.queue;

import java.time.Duration;

import org.jspecify.annotations.Nullable;

/**
 * Thrown by a handler whose message shall be delivered again after a delay of the
 * handler's choice, while it has attempts left.
 *
 * @since 0.1.0
 */
public class RetryMessageException extends QueueException {

	private final Duration delay;

	public RetryMessageException(Duration delay) {
		this(delay, null);
	}

	public RetryMessageException(Duration delay, @Nullable Throwable cause) {
		super("To be delivered again after " + delay, cause);
		if (delay.isNegative()) {
			throw new IllegalArgumentException("'delay' must not be negative: " + delay);
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
