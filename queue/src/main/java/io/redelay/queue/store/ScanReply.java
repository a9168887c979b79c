package io.redelay.queue.store;

import java.util.List;

/**
 * The reply to a step through the messages of a queue.
 *
 * @param messages the messages in the requested states
 * @param hasNext whether there are more
 * @param place where to go on
 * @param uid the uid there, or {@code ""}
 * @param examined how many were looked at
 * @since 0.1.0
 */
public record ScanReply(List<StoredMessage> messages, boolean hasNext, String place, String uid, int examined) {

}
