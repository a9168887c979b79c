package io.redelay.queue.admin;

import java.util.List;

/**
 * The result of a redrive of dead messages.
 *
 * @param redriven how many were redriven
 * @param refused the uids of those that stay dead, because another message has their id
 * now, they are being moved to another queue, or the line of their ordering key is full
 * @since 0.1.0
 */
public record RedriveResult(int redriven, List<String> refused) {

}
