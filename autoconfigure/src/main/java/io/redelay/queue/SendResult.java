package io.redelay.queue;

import java.time.Instant;

/**
 * The result of a send.
 *
 * @param queue the queue
 * @param id the message's id: the one that its sender gave it, or else a generated one
 * @param due when it is due, by the clock of Redis; for a message without a delay, when
 * it was sent; for a message that waits for the commit of a transaction, an estimate
 * @param duplicate whether nothing was added, because a living message of the queue has
 * the same id; {@code due} is then that message's
 * @since 0.1.0
 */
public record SendResult(String queue, String id, Instant due, boolean duplicate) {

}
