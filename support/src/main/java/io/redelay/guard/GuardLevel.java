package io.redelay.guard;

/**
 * What follows if a check of the server finds something wrong.
 *
 * @since 0.1.0
 */
public enum GuardLevel {

	/**
	 * The server is not checked for it.
	 */
	OFF,

	/**
	 * It is logged at {@code WARN}.
	 */
	WARN,

	/**
	 * The application does not start.
	 */
	FAIL

}
