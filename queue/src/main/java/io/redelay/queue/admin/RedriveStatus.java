package io.redelay.queue.admin;

import java.time.Instant;

import io.redelay.queue.RedriveRule;
import org.jspecify.annotations.Nullable;

/**
 * The state of the automatic redrive of the dead messages of a queue.
 *
 * @param rule the rule, as announced by an instance that listens to the queue
 * @param active whether an instance carries out the rule now; if it dies, another one
 * does so when its lease is over
 * @param next when messages are redriven next, by the clock of Redis, if that is known
 * @param lastStayed the latest death of a message that stays dead after its last round,
 * if there was one lately
 * @since 0.1.0
 */
public record RedriveStatus(RedriveRule rule, boolean active, @Nullable Instant next, @Nullable Instant lastStayed) {

}
