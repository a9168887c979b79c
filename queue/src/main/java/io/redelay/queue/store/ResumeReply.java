package io.redelay.queue.store;

import java.util.Set;

/**
 * The result of a takeover from an earlier lane.
 *
 * @param status whether the request was carried out
 * @param givenBack how many messages are delivered again: messages that the earlier lane
 * held and the request did not name, and messages of the request that another lane holds
 * @param refused the uids of the messages that were not taken over: another lane holds
 * them, or they are gone
 * @since 0.1.0
 */
public record ResumeReply(LaneStatus status, long givenBack, Set<String> refused) {
}
