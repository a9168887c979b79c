package io.redelay.queue.admin;

import java.time.Instant;

/**
 * A bundle of messages that has not ended, at one moment.
 *
 * @param queue the queue of its callback
 * @param id its id
 * @param open whether it is still open, so that it does not end with its last message
 * @param openedAt when it was opened, by the clock of Redis
 * @param openUntil until when it may be open
 * @param movedAt when a message was last added to it or ended
 * @param total how many messages were added
 * @param pending how many of them have not ended
 * @param acknowledged how many were handled
 * @param dead how many went to the dead messages
 * @param others how many ended in another way, see
 * {@link io.redelay.queue.bundle.BundleSummary}
 * @param restCancelled whether the remaining messages are being cancelled, see
 * {@link io.redelay.queue.bundle.Bundle#cancelRest()}
 * @param results how many results are kept
 * @param resultsLeftOut how many results were left out
 * @since 0.1.0
 */
public record BundleInfo(String queue, String id, boolean open, Instant openedAt, Instant openUntil, Instant movedAt,
		int total, int pending, int acknowledged, int dead, int others, boolean restCancelled, int results,
		int resultsLeftOut) {

}
