package io.redelay.delivery;

/**
 * The object a {@link DeliveryScope} is opened with if the queue of the handled message
 * is known.
 *
 * @since 0.1.0
 */
public interface HandledQueue {

	/**
	 * The queue of the message.
	 * @return its name
	 */
	String queue();

}
