package io.redelay.guard;

/**
 * The reaction if a check of the server finds a problem.
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
