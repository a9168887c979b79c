package io.redelay.queue.store;

/**
 * The reply to a step of a purge.
 *
 * @param status whether the request was carried out
 * @param removed how many messages were removed
 * @param hasNext whether there may be more
 * @since 0.1.0
 */
public record PurgeReply(LaneStatus status, int removed, boolean hasNext) {

}
