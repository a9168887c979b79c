package io.redelay.queue.listener;

/**
 * Gets the notices that Redis publishes for the lane of a loop. No method may block.
 */
interface LaneListener {

	/**
	 * Called when there may be a message to claim.
	 */
	void wakeUp();

	/**
	 * Called when a message that the lane holds was cancelled.
	 */
	void cancelled(String uid);

	/**
	 * Called when notices may have been missed.
	 */
	void mayHaveMissed();

}
