package io.redelay.queue.store;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Set;

import org.jspecify.annotations.Nullable;

/**
 * What a claim settled and claimed.
 *
 * @param status whether the request was carried out
 * @param time the store's clock
 * @param next when something may be due, counted from the reply; {@code null} if nothing
 * is known to come
 * @param refused the uids whose settlement did not count, because the lane does not hold
 * them under that claim
 * @param messages what was claimed
 * @param limitedBy which limit kept messages from being claimed that were ready and
 * wanted; {@code null} if none did
 * @param hasNotes whether the outbox of the queue has notes that are to be relayed
 * @param remembered the last request that the store remembers, for
 * {@link LaneStatus#BEHIND}
 * @param moves what else moved
 * @since 0.1.0
 */
public record ClaimReply(LaneStatus status, Instant time, @Nullable Duration next, Set<String> refused,
		List<ClaimedMessage> messages, ClaimLimits.@Nullable Kind limitedBy, boolean hasNotes, long remembered,
		Moves moves) {

	/**
	 * Creates the reply of a queue that no limit held up and whose outbox is empty.
	 * @param status whether the request was carried out
	 * @param time the store's clock
	 * @param next when something may be due
	 * @param refused the uids whose settlement did not count
	 * @param messages what was claimed
	 * @param remembered the last request that the store remembers
	 */
	public ClaimReply(LaneStatus status, Instant time, @Nullable Duration next, Set<String> refused,
			List<ClaimedMessage> messages, long remembered) {
		this(status, time, next, refused, messages, null, false, remembered, Moves.NONE);
	}

	/**
	 * What else moved in the queue, if that was to be told.
	 *
	 * @param ready the uids of those whose delay was over
	 * @param cameBack the uids of those that a dead lane held
	 * @param cancelled the uids of those that had been cancelled while they were held,
	 * and have ended by that: because a dead lane held them, or in place of the
	 * settlement that was asked for; the latter are told in any case
	 * @param drained whether the last living message has gone, if that was to be told
	 */
	public record Moves(List<String> ready, List<String> cameBack, Set<String> cancelled, boolean drained) {

		static final Moves NONE = new Moves(List.of(), List.of(), Set.of(), false);

	}

}
