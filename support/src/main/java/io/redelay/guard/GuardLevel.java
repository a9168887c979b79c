package io.redelay.guard;

/**
 * The reaction if a check at the start finds a problem.
 *
 * @since 0.1.0
 */
public enum GuardLevel {

	/**
	 * It is not checked.
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
