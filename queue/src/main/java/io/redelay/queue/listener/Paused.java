package io.redelay.queue.listener;

import java.time.Duration;

import io.redelay.queue.limits.DueTime;
import io.redelay.queue.work.MessageStoppedException;
import org.jspecify.annotations.Nullable;

/**
 * The result of a handler that ends before its work is done, also as the value of a
 * returned {@link java.util.concurrent.CompletionStage} or {@code Mono}. The message goes
 * back with no attempt counted, as after a {@link MessageStoppedException}, which says
 * when it is delivered again. Messages that were to be sent with the acknowledgement are
 * not sent.
 *
 * @param delay how long until the message is delivered again, 0 to 3650 days, or
 * {@code null} to leave that open
 * @since 0.1.0
 */
public record Paused(@Nullable Duration delay) {

	private static final Paused NOW = new Paused(null);

	public Paused {
		if (delay != null && !DueTime.isPossible(delay)) {
			throw new IllegalArgumentException("'delay' must be 0 to 3650 days: " + delay);
		}
	}

	/**
	 * The message is delivered again at once if the listener is stopping, so that another
	 * instance goes on with it; else after a second.
	 * @return the result
	 */
	public static Paused now() {
		return NOW;
	}

	/**
	 * Returns the exception that says the same.
	 * @return the exception, new with each call
	 */
	public MessageStoppedException toException() {
		return new MessageStoppedException(this.delay, null);
	}

	/**
	 * The message is delivered again after a delay, whether the listener is stopping or
	 * not.
	 * @param delay the delay, 0 to 3650 days
	 * @return the result
	 * @throws IllegalArgumentException if it is another delay
	 */
	public static Paused after(Duration delay) {
		return new Paused(delay);
	}

}
