package io.redelay.queue.admin;

import java.util.List;

/**
 * A page of messages.
 *
 * @param messages the messages
 * @param page the number of the page, from 0
 * @param size how many a page can hold
 * @param hasNext whether there is another page
 * @since 0.1.0
 */
public record QueuePage(List<QueuedMessage> messages, int page, int size, boolean hasNext) {

}
