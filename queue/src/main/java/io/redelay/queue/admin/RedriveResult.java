package io.redelay.queue.admin;

import java.util.List;

/**
 * What became of the dead messages that were to live again.
 *
 * @param redriven how many live again
 * @param refused the uids of those that stay dead, for another message has their id by
 * now, they are being handed on to another queue, or the line of their ordering key is as
 * long as it may be
 * @since 0.1.0
 */
public record RedriveResult(int redriven, List<String> refused) {

}
