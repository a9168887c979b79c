package io.redelay.queue;

import java.time.Instant;

/**
 * What a handler may want to know of the delivery in its hands; a listener method can
 * take it as a parameter.
 *
 * @param queue the queue
 * @param id the id its sender gave it, or else its uid
 * @param uid the store's name for this message, never used twice
 * @param attempt the number of this delivery, from 1
 * @param failures how often its handling failed before
 * @param crashes how often an instance died while it was a suspect of its
 * @param sentAt when it was sent, by the clock of Redis
 * @param dueAt when it was due, by the clock of Redis: as {@link SendResult#due()} told,
 * unless it was rescheduled
 * @since 0.1.0
 */
public record DeliveryInfo(String queue, String id, String uid, int attempt, int failures, int crashes, Instant sentAt,
		Instant dueAt) {

}
