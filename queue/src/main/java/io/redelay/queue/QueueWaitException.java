package io.redelay.queue;

import java.time.Duration;

import io.redelay.queue.limits.DueTime;
import org.jspecify.annotations.Nullable;

/**
 * Thrown by a handler that cannot work now for a reason that more messages have in
 * common, like a service that asks to be left alone: the message goes back with no
 * attempt counted, and nothing of its queue, or of its fairness key, is claimed by any
 * instance until the time is over. It holds whatever the attempts and
 * {@link QueueListener#noRetryFor()} say, and no {@link QueueErrorHandler} is asked.
 * <p>
 * {@link QueueGates} lets a queue or a key wait from elsewhere, and ends the wait.
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
	 * Lets the whole queue wait. If it waits for longer already, that holds.
	 * @param duration for how long; 0 to 3650 days
	 * @param cause why
	 * @return the exception to throw
	 * @throws IllegalArgumentException if it is another duration: the handling has failed
	 * with that then, like with any exception
	 */
	public static QueueWaitException ofQueue(Duration duration, @Nullable Throwable cause) {
		return new QueueWaitException(duration, false, cause);
	}

	/**
	 * Lets the messages wait that have the fairness key of this one. If they wait for
	 * longer already, that holds. A message without a fairness key waits alone.
	 * @param duration for how long; 0 to 3650 days
	 * @param cause why
	 * @return the exception to throw
	 * @throws IllegalArgumentException if it is another duration: the handling has failed
	 * with that then, like with any exception
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
	 * What is to wait.
	 * @return whether it is the fairness key of the message; else the whole queue
	 */
	public boolean isOfKey() {
		return this.ofKey;
	}

}
