package io.redelay.queue.work;

import java.time.Instant;

import io.redelay.queue.SendResult;

/**
 * The facts of a delivery; a listener method can take them as a parameter.
 *
 * @param queue the queue
 * @param id the id that its sender gave the message, or else its uid
 * @param uid the store's identifier of this message, never used twice
 * @param attempt the number of this delivery, from 1
 * @param failures how often its handling failed before
 * @param crashes how often an instance died while it handled the message as its suspect
 * @param sentAt when it was sent, by the clock of Redis
 * @param dueAt when it was due, by the clock of Redis: the value of
 * {@link SendResult#due()}, unless it was rescheduled
 * @since 0.1.0
 */
public record DeliveryInfo(String queue, String id, String uid, int attempt, int failures, int crashes, Instant sentAt,
		Instant dueAt) {

}
