package io.redelay.queue;

/**
 * How a message is acknowledged.
 *
 * @since 0.1.0
 */
public enum AckMode {

	/**
	 * The container acknowledges it when the method has returned and what it returned is
	 * complete.
	 */
	AUTO,

	/**
	 * The method, or code that it hands its {@link Acknowledgment} to, acknowledges it.
	 * Until then the message stays held, and its permit with it. A method that throws
	 * before has failed.
	 */
	MANUAL,

	/**
	 * The container acknowledges it before the method is called, and calls the method
	 * only when Redis has taken the acknowledgement. So a message is delivered at most
	 * once, whatever happens: if the method fails or the instance dies meanwhile, the
	 * message is lost. For what must rather be lost than be handled twice.
	 */
	BEFORE_HANDLING

}
