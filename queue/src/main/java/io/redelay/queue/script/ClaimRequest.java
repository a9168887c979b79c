package io.redelay.queue.script;

import java.time.Duration;
import java.time.Instant;
import java.util.List;

import io.redelay.queue.message.ClaimLimits;
import io.redelay.queue.message.Settlement;
import org.jspecify.annotations.Nullable;

import org.springframework.util.Assert;

/**
 * A request to settle finished messages and to claim more.
 *
 * @param lane the lane
 * @param seq the number of the request in that lane
 * @param lease how long the lane lives from now on
 * @param wanted how many messages to claim at most, 0 to {@value #MAX_WANTED}
 * @param behind how many more to claim behind each of these that has an ordering key, of
 * the same key, unless claims of the queue are limited
 * @param maxBytes how large the claimed envelopes are together at most; a single larger
 * one is claimed alone
 * @param suspect whether one of them may be a suspect, a message whose lane died
 * @param sleep the time after which the lane claims again by itself if it is given
 * nothing; until then it is woken. Zero if it is not to be woken. A lane that is given
 * messages is not woken before its next claim
 * @param settlements the settlements, at most {@value #MAX_SETTLEMENTS}, each message
 * once. Of two settlements of a message one counts, the acknowledgement if there is one;
 * the other is refused
 * @param limits how many it may take
 * @param failedDue when the first message that failed on the lane is due again, or
 * {@code null} if none is: another sleeping instance claims it first
 * @since 0.1.0
 */
public record ClaimRequest(String lane, long seq, Duration lease, int wanted, int behind, int maxBytes, boolean suspect,
		Duration sleep, List<Settlement> settlements, ClaimLimits limits, @Nullable Instant failedDue) {

	/**
	 * How many messages one request can claim.
	 */
	public static final int MAX_WANTED = 1000;

	/**
	 * How many messages one request can settle.
	 */
	public static final int MAX_SETTLEMENTS = 1000;

	/**
	 * Creates a request that claims one message of an ordering key at most.
	 */
	public ClaimRequest(String lane, long seq, Duration lease, int wanted, int maxBytes, boolean suspect,
			Duration sleep, List<Settlement> settlements, ClaimLimits limits, @Nullable Instant failedDue) {
		this(lane, seq, lease, wanted, 0, maxBytes, suspect, sleep, settlements, limits, failedDue);
	}

	/**
	 * Checks the values.
	 */
	public ClaimRequest {
		Assert.isTrue(seq > 0, () -> "'seq' must be positive: " + seq);
		Assert.isTrue(lease.toMillis() > 0, () -> "'lease' must be at least a millisecond: " + lease);
		Assert.isTrue(wanted >= 0 && wanted <= MAX_WANTED, () -> "'wanted' must be 0 to " + MAX_WANTED + ": " + wanted);
		Assert.isTrue(settlements.size() <= MAX_SETTLEMENTS,
				() -> "'settlements' must be at most " + MAX_SETTLEMENTS + ": " + settlements.size());
	}

}
