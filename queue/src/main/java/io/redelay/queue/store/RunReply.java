package io.redelay.queue.store;

import java.util.List;

/**
 * What the store says to a {@link RunRequest}.
 *
 * @param status {@link LaneStatus#OK}; or {@link LaneStatus#BEHIND} if the store has
 * forgotten requests of the owner that were answered, and nothing was done
 * @param answers what became of each step, if it was done
 * @since 0.1.0
 */
public record RunReply(LaneStatus status, List<RunAnswer> answers) {
}
