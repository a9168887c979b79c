package io.redelay.queue.work;

import io.redelay.queue.Acknowledgment;
import io.redelay.queue.QueueHeaders;

import org.springframework.messaging.MessageHeaders;

/**
 * A message that a {@link QueueReceiver} received. The receiving code settles it; until
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
	 * Returns the token that signals that the work on the message is to end.
	 * @return the token, the same one at each call
	 */
	CancellationToken cancellation();

	/**
	 * Gives the message back to its queue unhandled, in its place, with nothing counted.
	 */
	void giveBack();

	/**
	 * Returns whether the message is settled: by this program, because its maximal
	 * handling time elapsed, or because the application ends. Later settlements do
	 * nothing, except that an acknowledgement after the end counts while no other
	 * instance holds the message.
	 * @return whether it is settled
	 */
	boolean isSettled();

	/**
	 * Returns the delivery as a handler has it: with the token that signals the end of
	 * its work, and the checkpoint, progress and lines stored with the message.
	 * @return the delivery
	 */
	MessageDelivery delivery();

}
