package io.redelay.queue.script.admin;

import java.time.Instant;
import java.util.List;

import io.redelay.queue.message.StoredMessage;

/**
 * A page of messages, or as much of it as may be read at once.
 *
 * @param time the store's clock
 * @param messages the messages
 * @param passed how many were gone through for it; some of these may no longer exist
 * @param hasNext whether there are more
 * @since 0.1.0
 */
public record MessagePage(Instant time, List<StoredMessage> messages, int passed, boolean hasNext) {

}
