package io.redelay.queue;

import java.time.Duration;

/**
 * Says what becomes of a delivered message, or of all messages of a batch. The first word
 * counts; later ones, of the container too, do nothing. May be called on any thread.
 *
 * @since 0.1.0
 */
public interface Acknowledgment {

	/**
	 * The message is done.
	 */
	void acknowledge();

	/**
	 * The message failed, and is delivered again after the listener's backoff while it
	 * has attempts left.
	 */
	void nack();

	/**
	 * The message failed, and is delivered again after a delay while it has attempts
	 * left. A delay of more than 3650 days is a failure of the handler's: it is logged,
	 * and the message is delivered again after the listener's backoff.
	 * @param delay how long to wait; not negative
	 * @throws IllegalArgumentException if it is negative; nothing was said of the message
	 * then
	 */
	void nack(Duration delay);

	/**
	 * The message failed for good, and is kept among the dead messages.
	 * @param reason why
	 */
	void reject(String reason);

	/**
	 * Whether somebody has cancelled the message since it was delivered, so that a
	 * handler which takes long may stop: it is not delivered again, whatever is said of
	 * it. Asks Redis each time, and waits for the answer.
	 * @return whether it was cancelled; of a batch, whether all of it was
	 * @throws QueueException if Redis does not answer
	 */
	default boolean isCancelled() {
		return false;
	}

}
