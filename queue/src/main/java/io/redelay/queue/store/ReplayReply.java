package io.redelay.queue.store;

import org.jspecify.annotations.Nullable;

/**
 * The reply to a step of a replay.
 *
 * @param status whether it was carried out, or {@code null} if there is no such group
 * @param added how many messages were given to the group
 * @param reached where the next step begins: behind this entry
 * @param last the last entry to give
 * @param hasMore whether there is a next step
 * @since 0.1.0
 */
public record ReplayReply(@Nullable LaneStatus status, int added, String reached, String last, boolean hasMore) {
}
