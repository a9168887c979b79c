package io.redelay.queue.listener;

/**
 * Whether the handling of a delivery goes on.
 */
@FunctionalInterface
interface HandlingState {

	/**
	 * Whether a thread handles the delivery, a future is awaited, or its handler may
	 * acknowledge it at any time.
	 */
	boolean isUnderWay();

}
