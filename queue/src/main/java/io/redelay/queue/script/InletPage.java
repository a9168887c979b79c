package io.redelay.queue.script;

import java.time.Instant;
import java.util.List;

/**
 * The next entries of an inlet.
 *
 * @param time the store's clock
 * @param foreign whether the key is not a list; nothing is read then
 * @param length how many entries there are
 * @param closed whether the queue takes no new messages
 * @param entries the first of them
 * @since 0.1.0
 */
public record InletPage(Instant time, boolean foreign, long length, boolean closed, List<InletEntry> entries) {

}
