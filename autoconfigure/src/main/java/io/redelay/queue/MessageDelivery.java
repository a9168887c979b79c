package io.redelay.queue;

/**
 * The delivery that a handler of single messages works on. A listener method can take it
 * as a parameter.
 * <p>
 * Safe for use by many threads, until the handling has ended.
 *
 * @since 0.1.0
 */
public interface MessageDelivery {

	/**
	 * Returns the facts of this delivery.
	 * @return queue, id, attempt and times
	 */
	DeliveryInfo info();

	/**
	 * Returns what tells that the handling is to end.
	 * @return the token, the same one at each call
	 */
	CancellationToken cancellation();

}
