package io.redelay.queue.wire;

/**
 * Notified of sleeping lanes that have something to do.
 *
 * @since 0.1.0
 */
public interface WakeUpListener {

	/**
	 * Called when there may be something to claim for a sleeping lane.
	 * @param lane the lane
	 */
	void wakeUp(String lane);

	/**
	 * Called when wake-ups may have been missed, so every sleeping lane should claim.
	 */
	void wakeUpAll();

	/**
	 * Called when a message that a lane holds was cancelled.
	 * @param lane the lane
	 * @param uid the message
	 */
	default void cancelled(String lane, String uid) {
	}

	/**
	 * Called when a message is done for whose result this instance waits.
	 * @param id its id, or its uid if it has none
	 */
	default void completed(String id) {
	}

}
