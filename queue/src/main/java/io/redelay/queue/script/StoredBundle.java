package io.redelay.queue.script;

import java.time.Instant;
import java.util.Map;

/**
 * The state of a bundle that has not ended.
 *
 * @param id its id
 * @param open whether it stays when all its messages have ended
 * @param openedAt when it was opened, by the store's clock
 * @param openUntil until when it may be open
 * @param movedAt when a message was last added or ended
 * @param added how many messages were added
 * @param pending how many of them have not ended
 * @param ends how many have ended, by the way in which they ended
 * @param cancelled whether the rest is to be cancelled
 * @param results how many results are kept
 * @param resultsLeftOut how many results had no room
 * @since 0.1.0
 */
public record StoredBundle(String id, boolean open, Instant openedAt, Instant openUntil, Instant movedAt, int added,
		int pending, Map<String, Integer> ends, boolean cancelled, int results, int resultsLeftOut) {

}
