package io.redelay.queue.listener;

/**
 * Is told of what Redis publishes for the lane of a loop. No method may block.
 */
interface LaneListener {

	/**
	 * There may be something to claim.
	 */
	void wakeUp();

	/**
	 * A message that the lane holds was cancelled.
	 */
	void cancelled(String uid);

	/**
	 * What Redis published may have been missed.
	 */
	void mayHaveMissed();

}
