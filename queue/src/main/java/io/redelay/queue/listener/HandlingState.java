package io.redelay.queue.listener;

/**
 * The state of the handling of a delivery.
 */
@FunctionalInterface
interface HandlingState {

	/**
	 * Returns whether a thread handles the delivery, a future is awaited, or its handler
	 * may acknowledge it at any time.
	 */
	boolean isUnderWay();

}
