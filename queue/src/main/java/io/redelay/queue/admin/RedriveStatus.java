package io.redelay.queue.admin;

import java.time.Instant;

import io.redelay.queue.RedriveRule;
import org.jspecify.annotations.Nullable;

/**
 * Whether dead messages of a queue are redriven by themselves, and when.
 *
 * @param rule the rule, as an instance announces it that listens to the queue
 * @param active whether an instance redrives now; after the death of one, another one
 * does so when its lease is over
 * @param next when messages are redriven next, by the clock of Redis, if that is known
 * @param lastStayed when the last one died of the messages that stay dead after their
 * last round, if there was one lately
 * @since 0.1.0
 */
public record RedriveStatus(RedriveRule rule, boolean active, @Nullable Instant next, @Nullable Instant lastStayed) {

}
