package io.redelay.queue.store;

import java.time.Instant;
import java.util.List;

import org.jspecify.annotations.Nullable;

/**
 * Messages of a tag, or as many of them as may be read at once.
 *
 * @param <T> the data of a message
 * @param time the store's clock
 * @param messages the messages
 * @param passed how many were gone through for it
 * @param next where the next ones begin, or {@code null} if there are none
 * @since 0.1.0
 */
public record TaggedMessages<T>(Instant time, List<T> messages, int passed, @Nullable String next) {

}
