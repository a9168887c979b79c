package io.redelay.queue;

/**
 * Who says that a message is done.
 *
 * @since 0.1.0
 */
public enum AckMode {

	/**
	 * The container: when the method has returned and what it returned is complete.
	 */
	AUTO,

	/**
	 * The method, or whoever it hands its {@link Acknowledgment} to. Until then the
	 * message stays held, and its permit with it. A method that throws first has failed.
	 */
	MANUAL

}
