package io.redelay.guard;

/**
 * The checks of the server, and the reaction to a problem of each.
 *
 * @param evictionPolicy that it evicts no keys
 * @param persistence that it keeps its data through a restart
 * @param serverVersion that its version is supported
 * @param permissions that the user has the rights that are needed
 * @since 0.1.0
 */
public record GuardSettings(GuardLevel evictionPolicy, GuardLevel persistence, GuardLevel serverVersion,
		GuardLevel permissions) {

	boolean looksAtServer() {
		return this.evictionPolicy != GuardLevel.OFF || this.persistence != GuardLevel.OFF
				|| this.serverVersion != GuardLevel.OFF;
	}

	/**
	 * Whether the application is not to start if something is wrong.
	 */
	boolean canFail() {
		return this.evictionPolicy == GuardLevel.FAIL || this.persistence == GuardLevel.FAIL
				|| this.serverVersion == GuardLevel.FAIL || this.permissions == GuardLevel.FAIL;
	}

}
