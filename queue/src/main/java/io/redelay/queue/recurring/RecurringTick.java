package io.redelay.queue.recurring;

import java.time.Instant;

/**
 * The payload of a recurring message that was declared without one.
 *
 * @param name the name of the recurring message
 * @param scheduledFor the time of the tick, or the time at which it was asked for by
 * {@link RecurringMessages#runNow}
 * @since 0.1.0
 */
public record RecurringTick(String name, Instant scheduledFor) {

}
