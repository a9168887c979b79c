package io.redelay.queue.store;

import java.util.List;

/**
 * A page of messages, or as much of it as may be read at once.
 *
 * @param messages the messages
 * @param passed how many were gone through for it, which may have been more: some are not
 * there any more
 * @param hasNext whether there are more
 * @since 0.1.0
 */
public record MessagePage(List<StoredMessage> messages, int passed, boolean hasNext) {

}
