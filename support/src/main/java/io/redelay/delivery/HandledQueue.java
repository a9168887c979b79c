package io.redelay.delivery;

/**
 * What a {@link DeliveryScope} is opened with, if it is known from which queue the
 * message is that is being handled.
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
