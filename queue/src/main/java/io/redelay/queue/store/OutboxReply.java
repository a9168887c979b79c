package io.redelay.queue.store;

import java.time.Duration;
import java.util.List;

import org.jspecify.annotations.Nullable;

/**
 * The content of an outbox.
 *
 * @param busy for how long another instance relays its notes, or {@code null} if none
 * does
 * @param count how many notes there are
 * @param unbroken whether the store knows the instance's request before this one. If not,
 * it may have gone back in time, and removed notes are there again
 * @param notes the next ones
 * @since 0.1.0
 */
public record OutboxReply(@Nullable Duration busy, long count, boolean unbroken, List<OutboxNote> notes) {

}
