package io.redelay.queue;

/**
 * Where a message is. It is in exactly one state.
 *
 * @since 0.1.0
 */
public enum MessageState {

	/**
	 * It is not due yet.
	 */
	SCHEDULED,

	/**
	 * It is due, and waits for a listener.
	 */
	READY,

	/**
	 * A listener has it in hand.
	 */
	IN_FLIGHT,

	/**
	 * It was given up, and is kept with the reason.
	 */
	DEAD,

	/**
	 * There is no such message: it never was, is done, or was removed.
	 */
	UNKNOWN

}
