package io.redelay.queue;

/**
 * What becomes of a message that was not handled within its time to live, or by its
 * deadline.
 *
 * @since 0.1.0
 */
public enum ExpiryAction {

	/**
	 * It is kept among the dead messages.
	 */
	BURY,

	/**
	 * It is forgotten; a line in the log says so.
	 */
	DROP

}
