package io.redelay.queue.store;

/**
 * Hears which sleeping lanes have something to do.
 *
 * @since 0.1.0
 */
public interface WakeUpListener {

	/**
	 * There may be something to claim for a lane that was put to sleep.
	 * @param lane the lane
	 */
	void wakeUp(String lane);

	/**
	 * Wake-ups may have been missed, so every sleeping lane should look for itself.
	 */
	void wakeUpAll();

	/**
	 * A message was cancelled that a lane holds.
	 * @param lane the lane
	 * @param uid the message
	 */
	default void cancelled(String lane, String uid) {
	}

	/**
	 * A message is done for whose result this instance waits.
	 * @param id its id, or its uid if it has none
	 */
	default void completed(String id) {
	}

}
