package io.redelay.queue;

import org.springframework.messaging.MessageHeaders;

/**
 * A message that a {@link QueueReceiver} received. Whoever received it settles it; until
 * then it is held, and its lease is renewed.
 *
 * @param <T> the type of the payload
 * @since 0.1.0
 */
public interface ReceivedMessage<T> extends Acknowledgment {

	/**
	 * Returns the payload.
	 * @return the payload, converted to the type that was asked for
	 */
	T payload();

	/**
	 * Returns the headers: the sender's own, and those of {@link QueueHeaders}.
	 * @return the headers
	 */
	MessageHeaders headers();

	/**
	 * Returns the facts of this delivery.
	 * @return queue, id, attempt and times
	 */
	DeliveryInfo info();

	/**
	 * Returns what tells that the work on the message is to end.
	 * @return the token, the same one at each call
	 */
	CancellationToken cancellation();

	/**
	 * Gives the message back to its queue unhandled, in its place, with nothing counted.
	 */
	void giveBack();

	/**
	 * Returns whether the message is settled: by this program, because its maximal
	 * handling time elapsed, or because the application ends. What is said of it then
	 * does nothing, but that an acknowledgement after the end counts while nobody else
	 * has the message.
	 * @return whether it is settled
	 */
	boolean isSettled();

	/**
	 * Returns the delivery as a handler has it: what tells that its work is to end, and
	 * what keeps a checkpoint, progress and lines beside the message.
	 * @return the delivery
	 */
	MessageDelivery delivery();

}
