package io.redelay.queue.admin;

import java.time.Duration;
import java.util.List;
import java.util.Set;

import io.redelay.queue.RedriveRule;
import org.jspecify.annotations.Nullable;

/**
 * The settings of a listener of an instance for one of its queues, and the work of its
 * handlers there in the last minute. A limit that is not set is {@code null}.
 *
 * @param queue the queue
 * @param gated whether a gate of the instance is closed
 * @param sinceClaim how long ago Redis answered its last claim; {@code null} if it has
 * answered none
 * @param claimTime how long Redis took to answer claims, the median of the last nine
 * within half a minute; {@code null} if there were fewer than three
 * @param unanswered whether its last claim failed, or has had no answer for a second
 * @param meanHandling how long handlers took, on the average; {@code null} if none ended
 * @param handled how many messages were done
 * @param failed how many attempts failed
 * @param lockRefusals how many attempts ended because their handler did not get a lock
 * @param causes what attempts failed of, the most frequent cause first; at most five
 * @param rateLimit how many messages all instances claim in a window, like {@code 100/1s}
 * @param maxInFlight how many messages all instances have in hand at most
 * @param keyRateLimit the rate of each fairness key
 * @param keyMaxInFlight how many each fairness key has in hand at most
 * @param sharedLimit the name of the limit that it shares with other queues
 * @param sharedRateLimit the rate of that limit
 * @param sharedMaxInFlight how many messages these queues have in hand at most
 * @param limitedBy which of these limits kept its last claims from bringing messages that
 * were ready and for which it had handlers
 * @param maxAttempts how often a message is attempted
 * @param backoff how long to wait between attempts
 * @param leaseTime how long its lanes live without being renewed
 * @param waitsFor the earlier queue in the strict order of the same listener that has
 * messages; {@code null} if it waits for none
 * @param deadLetterQueue where dead messages go; {@code null} if they stay with the queue
 * @param redrive when dead messages are redriven automatically; {@code null} if they are
 * not
 * @param inHands how many of its messages handlers of the instance work on
 * @param meanLockWait how long handlers waited for locks for a message, on the average;
 * {@code null} if no handling ended, or they use no locks. It is a part of
 * {@code meanHandling}
 * @since 0.1.0
 */
public record ListenedQueue(String queue, boolean gated, @Nullable Duration sinceClaim, @Nullable Duration claimTime,
		boolean unanswered, @Nullable Duration meanHandling, long handled, long failed, long lockRefusals,
		List<FailureCause> causes, @Nullable String rateLimit, @Nullable Integer maxInFlight,
		@Nullable String keyRateLimit, @Nullable Integer keyMaxInFlight, @Nullable String sharedLimit,
		@Nullable String sharedRateLimit, @Nullable Integer sharedMaxInFlight, Set<Limit> limitedBy, int maxAttempts,
		String backoff, Duration leaseTime, @Nullable String waitsFor, @Nullable String deadLetterQueue,
		@Nullable RedriveRule redrive, int inHands, @Nullable Duration meanLockWait) {

	/**
	 * Copies the causes and the limits.
	 */
	public ListenedQueue {
		causes = List.copyOf(causes);
		limitedBy = Set.copyOf(limitedBy);
	}

	/**
	 * A limit that holds for a queue as a whole.
	 */
	public enum Limit {

		/**
		 * That of {@link ListenedQueue#rateLimit}.
		 */
		RATE,

		/**
		 * That of {@link ListenedQueue#maxInFlight}.
		 */
		IN_FLIGHT,

		/**
		 * That of {@link ListenedQueue#sharedRateLimit}.
		 */
		SHARED_RATE,

		/**
		 * That of {@link ListenedQueue#sharedMaxInFlight}.
		 */
		SHARED_IN_FLIGHT

	}

}
