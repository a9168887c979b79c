package io.redelay.queue;

import java.time.Instant;

/**
 * What became of a message that was sent.
 *
 * @param queue the queue
 * @param id the message's id: the one its sender gave it, or else the one it was given
 * @param due when it is due, by the clock of Redis, which is when it was sent if that is
 * later than what was asked for; for a message that waits for the commit of a
 * transaction, an estimate
 * @param duplicate whether nothing was added, because a living message of the queue has
 * the same id; {@code due} is then that message's
 * @since 0.1.0
 */
public record SendResult(String queue, String id, Instant due, boolean duplicate) {

}
