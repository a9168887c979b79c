package io.redelay.queue;

/**
 * How a message is acknowledged.
 *
 * @since 0.1.0
 */
public enum AckMode {

	/**
	 * The container acknowledges it when the method has returned and its result is
	 * complete.
	 */
	AUTO,

	/**
	 * The method, or code that it passes its {@link Acknowledgment} to, acknowledges it.
	 * Until then the message stays held, and its permit is not free. A method that throws
	 * before that has failed.
	 */
	MANUAL,

	/**
	 * The container acknowledges it before the method is called, and calls the method
	 * only when Redis has taken the acknowledgement. So a message is delivered at most
	 * once, in any case: if the method fails or the instance dies meanwhile, the message
	 * is lost. For messages that must not be handled twice, even if some are lost.
	 */
	BEFORE_HANDLING

}
