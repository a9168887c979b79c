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
 * @param remembered the last request that the store remembers, for
 * {@link LaneStatus#BEHIND}
 * @since 0.1.0
 */
public record ClaimReply(LaneStatus status, Instant time, @Nullable Duration next, Set<String> refused,
		List<ClaimedMessage> messages, long remembered) {

}
