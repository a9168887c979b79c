package io.redelay.queue.message;

import io.redelay.queue.limits.RateLimit;
import org.jspecify.annotations.Nullable;

/**
 * How many messages the claims of a listener may take, together with those of all other
 * instances. Each claim carries them, so they hold as soon as an instance that has them
 * claims.
 *
 * @param rate how many are claimed in a window, if that is limited
 * @param maxInFlight how many are held at the same time, if that is limited
 * @param keyRate how many of one fairness key are claimed in a window, if that is limited
 * @param keyMaxInFlight how many of one fairness key are held at the same time, if that
 * is limited
 * @param shared a limit that the queue shares with others, if there is one
 * @since 0.1.0
 */
public record ClaimLimits(@Nullable RateLimit rate, @Nullable Integer maxInFlight, @Nullable RateLimit keyRate,
		@Nullable Integer keyMaxInFlight, @Nullable Shared shared) {

	/**
	 * No limits.
	 */
	public static final ClaimLimits NONE = new ClaimLimits(null, null, null, null, null);

	private static final int MOST_IN_FLIGHT = 1_000_000;

	/**
	 * Checks the values.
	 */
	public ClaimLimits {
		check("maxInFlight", maxInFlight);
		check("keyMaxInFlight", keyMaxInFlight);
	}

	private static void check(String name, @Nullable Integer value) {
		if (value != null && (value < 1 || value > MOST_IN_FLIGHT)) {
			throw new IllegalArgumentException("'" + name + "' must be 1 to " + MOST_IN_FLIGHT + ": " + value);
		}
	}

	/**
	 * Returns whether anything is limited.
	 * @return whether claims may take less than there is
	 */
	public boolean isLimited() {
		return !equals(NONE);
	}

	/**
	 * Which limit it is.
	 */
	public enum Kind {

		/**
		 * How many of the queue are claimed in a window.
		 */
		RATE,

		/**
		 * How many of the queue are held at the same time.
		 */
		IN_FLIGHT,

		/**
		 * How many are claimed in a window of all queues that share a limit.
		 */
		SHARED_RATE,

		/**
		 * How many are held at the same time of all queues that share a limit.
		 */
		SHARED_IN_FLIGHT

	}

	/**
	 * A limit that several queues of one server share.
	 *
	 * @param name its name
	 * @param rate how many are claimed from all these queues in a window, if that is
	 * limited
	 * @param maxInFlight how many of all these queues are held at the same time, if that
	 * is limited
	 */
	public record Shared(String name, @Nullable RateLimit rate, @Nullable Integer maxInFlight) {

		/**
		 * Checks the values.
		 */
		public Shared {
			if (rate == null && maxInFlight == null) {
				throw new IllegalArgumentException(
						"The shared limit '" + name + "' limits nothing: it has neither a rate nor 'maxInFlight'");
			}
			check("maxInFlight", maxInFlight);
		}

	}

}
