package io.redelay.queue;

/**
 * The state of a message. It is in exactly one.
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
	 * A listener holds it.
	 */
	IN_FLIGHT,

	/**
	 * It is not delivered any more, and is kept with the reason.
	 */
	DEAD,

	/**
	 * It is done, and is kept as its queue retains completed messages.
	 */
	COMPLETED,

	/**
	 * There is no such message: it never existed, is done, or was removed.
	 */
	UNKNOWN

}
