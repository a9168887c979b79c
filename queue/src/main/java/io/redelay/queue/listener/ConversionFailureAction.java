package io.redelay.queue.listener;

/**
 * What becomes of a message that cannot be converted for its listener: that cannot be
 * read, converted or validated, or lacks a header.
 *
 * @since 0.1.0
 */
public enum ConversionFailureAction {

	/**
	 * It is dead at once, and is kept among the dead messages with the reason.
	 */
	BURY,

	/**
	 * It has failed, and is delivered again after the backoff while it has attempts left:
	 * perhaps to an instance of another version, which can convert it.
	 */
	RETRY

}
