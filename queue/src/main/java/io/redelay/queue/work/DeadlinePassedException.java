package io.redelay.queue.work;

import java.time.Instant;

import io.redelay.queue.MessageDeadline;

/**
 * A handler was still running when the {@linkplain MessageDeadline deadline} of its
 * message passed.
 *
 * @since 0.1.0
 */
public class DeadlinePassedException extends HandlingTimeoutException {

	/**
	 * Creates an exception.
	 * @param deadline the deadline, by the clock of Redis
	 */
	public DeadlinePassedException(Instant deadline) {
		super("The handling was not complete at the deadline of the message, " + deadline);
	}

}
