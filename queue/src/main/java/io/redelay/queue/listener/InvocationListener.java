package io.redelay.queue.listener;

import java.util.List;

/**
 * Notified of the end of a {@link HandlerInvocation}.
 */
interface InvocationListener {

	/**
	 * Called with the time that a handler has taken.
	 * @param nanos the time for each message
	 */
	void handled(long nanos);

	/**
	 * Called when the invocation ends after {@link HandlerInvocation#run()} returned: its
	 * permit is free.
	 */
	void permitFreed();

	/**
	 * Called when a batch failed and each of its messages is to be handled by an
	 * invocation of its own.
	 */
	void handleEachAlone(List<Delivery> deliveries, Throwable failure);

}
