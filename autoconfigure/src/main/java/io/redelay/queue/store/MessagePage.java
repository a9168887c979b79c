package io.redelay.queue.store;

import java.util.List;

/**
 * A page of messages.
 *
 * @param messages the messages
 * @param hasNext whether there are more
 * @since 0.1.0
 */
public record MessagePage(List<StoredMessage> messages, boolean hasNext) {

}
