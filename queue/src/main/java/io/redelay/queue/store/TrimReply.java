package io.redelay.queue.store;

import java.util.List;

/**
 * The reply to a step of trimming the dead messages.
 *
 * @param status whether the request was carried out
 * @param trimmed the uids of the removed messages
 * @param hasNext whether there may be more to remove
 * @since 0.1.0
 */
public record TrimReply(LaneStatus status, List<String> trimmed, boolean hasNext) {

}
