package io.redelay.queue.store;

import io.redelay.queue.DeathReason;

/**
 * That the time of a message is over: that of its time to live or its deadline.
 *
 * @param reason which of them
 * @param why what is said of it
 * @param dropped whether the message is forgotten, and not kept among the dead messages
 * @since 0.1.0
 */
public record Expiration(DeathReason reason, String why, boolean dropped) {

}
