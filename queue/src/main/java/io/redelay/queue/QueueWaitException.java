package io.redelay.queue;

import java.time.Duration;

import io.redelay.queue.limits.DueTime;
import org.jspecify.annotations.Nullable;

/**
 * Thrown by a handler that cannot work now for a reason that affects further messages
 * too, such as an overloaded service. The message goes back with no attempt counted, and
 * no instance claims from its queue, or its fairness key, until the time is over. This
 * holds regardless of the attempts and {@link QueueListener#noRetryFor()}, and no
 * {@link io.redelay.queue.listener.QueueErrorHandler} is called.
 * <p>
 * {@link io.redelay.queue.listener.QueueGates} lets a queue or a key wait from elsewhere,
 * and ends the wait.
 *
 * @since 0.1.0
 */
public class QueueWaitException extends QueueException {

	private final Duration duration;

	private final boolean ofKey;

	private QueueWaitException(Duration duration, boolean ofKey, @Nullable Throwable cause) {
		super((ofKey ? "The fairness key is to wait for " : "The queue is to wait for ") + duration, cause);
		if (!DueTime.isPossible(duration)) {
			throw new IllegalArgumentException("'duration' must be 0 to 3650 days: " + duration, cause);
		}
		this.duration = duration;
		this.ofKey = ofKey;
	}

	/**
	 * Lets the whole queue wait. A longer wait that is set already stays.
	 * @param duration for how long; 0 to 3650 days
	 * @param cause why
	 * @return the exception to throw
	 * @throws IllegalArgumentException if it is another duration: the handling then fails
	 * with this exception
	 */
	public static QueueWaitException ofQueue(Duration duration, @Nullable Throwable cause) {
		return new QueueWaitException(duration, false, cause);
	}

	/**
	 * Lets the messages wait that have the fairness key of this one. A longer wait that
	 * is set already stays. A message without a fairness key waits alone.
	 * @param duration for how long; 0 to 3650 days
	 * @param cause why
	 * @return the exception to throw
	 * @throws IllegalArgumentException if it is another duration: the handling then fails
	 * with this exception
	 */
	public static QueueWaitException ofKey(Duration duration, @Nullable Throwable cause) {
		return new QueueWaitException(duration, true, cause);
	}

	/**
	 * How long to wait.
	 * @return the duration
	 */
	public Duration getDuration() {
		return this.duration;
	}

	/**
	 * Returns whether only the fairness key waits.
	 * @return whether it is the fairness key of the message; else the whole queue
	 */
	public boolean isOfKey() {
		return this.ofKey;
	}

}
