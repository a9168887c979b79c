package io.redelay.queue;

import java.time.Duration;

/**
 * Settles a delivered message, or all messages of a batch. The first call settles; later
 * calls, and the container's own, do nothing. May be called on any thread.
 *
 * @since 0.1.0
 */
public interface Acknowledgment {

	/**
	 * Acknowledges the message: it is done.
	 */
	void acknowledge();

	/**
	 * Reports a failure. The message is delivered again after the listener's backoff
	 * while it has attempts left.
	 */
	void nack();

	/**
	 * Reports a failure. The message is delivered again after a delay while it has
	 * attempts left. A delay of more than 3650 days is a failure of the handler itself:
	 * it is logged, and the message is delivered again after the listener's backoff.
	 * @param delay how long to wait; not negative
	 * @throws IllegalArgumentException if the delay is negative; the message is not
	 * settled then
	 */
	void nack(Duration delay);

	/**
	 * Rejects the message for good. It is kept among the dead messages.
	 * @param reason why
	 */
	void reject(String reason);

	/**
	 * Returns whether the message was cancelled since it was delivered, so that a
	 * long-running handler can stop: a cancelled message is not delivered again, however
	 * it is settled. Asks Redis on each call and waits for the answer.
	 * @return whether it was cancelled; of a batch, whether all of its messages were
	 * @throws QueueException if Redis does not answer
	 */
	default boolean isCancelled() {
		return false;
	}

}
