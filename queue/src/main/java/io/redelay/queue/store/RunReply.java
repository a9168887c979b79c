package io.redelay.queue.store;

import java.util.List;

/**
 * The reply of the store to a {@link RunRequest}.
 *
 * @param status {@link LaneStatus#OK}; or {@link LaneStatus#BEHIND} if the store has
 * forgotten requests of the owner that were answered, and nothing was done
 * @param answers the answer to each step, if the request was carried out
 * @since 0.1.0
 */
public record RunReply(LaneStatus status, List<RunAnswer> answers) {
}
