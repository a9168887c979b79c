package io.redelay.queue.script;

import java.time.Instant;
import java.util.Set;

import io.redelay.queue.request.LaneStatus;

/**
 * The reply to a {@link WorkRequest}.
 *
 * @param status {@link LaneStatus#OK}, or {@link LaneStatus#GONE} or
 * {@link LaneStatus#BEHIND}: nothing was kept then
 * @param time the store's clock; the epoch if nothing was kept
 * @param lost the messages that the lane does not hold under the claim, of which nothing
 * was kept
 * @param refused the messages of which nothing was kept because Redis is full
 * @since 0.1.0
 */
public record WorkReply(LaneStatus status, Instant time, Set<String> lost, Set<String> refused) {

}
