package io.redelay.queue.script;

import java.time.Duration;
import java.time.Instant;
import java.util.List;

import io.redelay.queue.message.ClaimLimits;
import io.redelay.queue.message.Settlement;
import org.jspecify.annotations.Nullable;

/**
 * A request to settle finished messages and to claim more.
 *
 * @param terms what the requests of a lane have in common
 * @param seq the number of the request in that lane
 * @param wanted how many messages to claim at most, 0 to {@value #MAX_WANTED}
 * @param maxBytes how large the claimed envelopes are together at most; a single larger
 * one is claimed alone
 * @param suspect whether one of them may be a suspect, a message whose lane died
 * @param sleep the time after which the lane claims again by itself if it is given
 * nothing; until then it is woken. Zero if it is not to be woken. A lane that is given
 * messages is not woken before its next claim
 * @param settlements the settlements, at most {@value #MAX_SETTLEMENTS}, each message
 * once. Of two settlements of a message one counts, the acknowledgement if there is one;
 * the other is refused
 * @param failedDue when the first message that failed on the lane is due again, or
 * {@code null} if none is: another sleeping instance claims it first
 * @since 0.1.0
 */
public record ClaimRequest(Terms terms, long seq, int wanted, int maxBytes, boolean suspect, Duration sleep,
		List<Settlement> settlements, @Nullable Instant failedDue) {

	/**
	 * How many messages one request can claim.
	 */
	public static final int MAX_WANTED = 1000;

	/**
	 * How many messages one request can settle.
	 */
	public static final int MAX_SETTLEMENTS = 1000;

	/**
	 * Checks the values.
	 */
	public ClaimRequest {
		if (seq <= 0) {
			throw new IllegalArgumentException("'seq' must be positive: " + seq);
		}
		if (wanted < 0 || wanted > MAX_WANTED) {
			throw new IllegalArgumentException("'wanted' must be 0 to " + MAX_WANTED + ": " + wanted);
		}
		if (settlements.size() > MAX_SETTLEMENTS) {
			throw new IllegalArgumentException(
					"'settlements' must be at most " + MAX_SETTLEMENTS + ": " + settlements.size());
		}
	}

	public String lane() {
		return this.terms.lane();
	}

	public Duration lease() {
		return this.terms.lease();
	}

	public ClaimLimits limits() {
		return this.terms.limits();
	}

	public int behind() {
		return this.terms.behind();
	}

	/**
	 * On which terms a lane claims.
	 *
	 * @param lane the lane
	 * @param lease how long the lane lives from a request on
	 * @param limits how many messages it may take
	 * @param behind how many more to claim behind each message that has an ordering key,
	 * of the same key, unless claims of the queue are limited
	 */
	public record Terms(String lane, Duration lease, ClaimLimits limits, int behind) {

		/**
		 * Claims one message of an ordering key at most.
		 */
		public Terms(String lane, Duration lease, ClaimLimits limits) {
			this(lane, lease, limits, 0);
		}

		/**
		 * Checks the values.
		 */
		public Terms {
			if (lease.toMillis() <= 0) {
				throw new IllegalArgumentException("'lease' must be at least a millisecond: " + lease);
			}
		}

	}

}
