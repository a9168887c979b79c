package io.redelay.queue.store;

import java.util.List;

/**
 * What a step through the messages of a queue met.
 *
 * @param messages those in the states that were asked for
 * @param hasNext whether there are more
 * @param place where to go on
 * @param uid the uid there, or {@code ""}
 * @param examined how many were looked at
 * @since 0.1.0
 */
public record ScanReply(List<StoredMessage> messages, boolean hasNext, String place, String uid, int examined) {

}
