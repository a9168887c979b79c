package io.redelay.queue.message;

import io.redelay.queue.DeathReason;

/**
 * The end of the time to live or of the deadline of a message.
 *
 * @param reason which of the two
 * @param why the reason as text
 * @param dropped whether the message is forgotten, and not kept among the dead messages
 * @since 0.1.0
 */
public record Expiration(DeathReason reason, String why, boolean dropped) {

}
