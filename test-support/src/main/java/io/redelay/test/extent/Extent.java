package io.redelay.test.extent;

/**
 * How much a test does: all of it in a build with the profile {@code full}, else a short
 * form of the same.
 *
 * @since 0.1.0
 */
public final class Extent {

	private Extent() {
	}

	/**
	 * Chooses what this build does.
	 * @param <T> the type of both
	 * @param brief for the short form
	 * @param full for all of it
	 * @return the one or the other
	 */
	public static <T> T of(T brief, T full) {
		return Boolean.getBoolean("redelay.test.full") ? full : brief;
	}

}
