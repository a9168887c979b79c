package io.redelay.outbox;

import java.time.Instant;

import org.jspecify.annotations.Nullable;

/**
 * A message in the outbox, as {@link OutboxAdmin} lists it. Times are by the clock of the
 * database.
 *
 * @param number its number in the outbox
 * @param destination the queue or the topic
 * @param topic whether it is a topic
 * @param messageId the id under which it is known to {@code QueueAdmin} when it is sent
 * @param orderingKey its ordering key, if it has one
 * @param writtenAt when it was written
 * @param attempts how often a relay has taken it
 * @param nextAttempt until when it is left alone: it is being sent, or waits after a
 * failure; {@code null} if it is next
 * @param failure why it was not sent the last time, if it failed
 * @since 0.1.0
 */
public record OutboxEntry(long number, String destination, boolean topic, String messageId,
		@Nullable String orderingKey, Instant writtenAt, int attempts, @Nullable Instant nextAttempt,
		@Nullable String failure) {

}
