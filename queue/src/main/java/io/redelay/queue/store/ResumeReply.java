package io.redelay.queue.store;

import java.util.Set;

/**
 * What a lane took over from an earlier one.
 *
 * @param status whether the request was carried out
 * @param givenBack how many messages are delivered again: those that the earlier lane
 * held and the request did not name, and those of the request that another lane holds
 * @param refused the uids of what was not taken over: others hold it, or it is gone
 * @since 0.1.0
 */
public record ResumeReply(LaneStatus status, long givenBack, Set<String> refused) {
}
