package io.redelay.queue.request;

import java.time.Instant;

/**
 * The state of a lane to send on in Redis.
 *
 * @param status {@link LaneStatus#OK}, or {@link LaneStatus#GONE} if it is unknown
 * @param time the store's clock
 * @param last the number of its last request
 * @since 0.1.0
 */
public record SenderState(LaneStatus status, Instant time, long last) {
}
