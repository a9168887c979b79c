package io.redelay.queue.work;

import java.time.Instant;

/**
 * A line of the log of a message, which its handler wrote.
 *
 * @param at when it was written, by the clock of Redis
 * @param text the line
 * @since 0.1.0
 */
public record LogLine(Instant at, String text) {

}
