package io.redelay.queue.store;

import java.time.Instant;

import org.jspecify.annotations.Nullable;

/**
 * The key to deduplicate by of a message.
 *
 * @param way in which way: {@code f} the first wins, {@code d} debounce, {@code a}
 * aggregate
 * @param id the message's id or uid
 * @param until when the key ends, or {@code null} if it does so with its message
 * @param payloads how many payloads have gathered
 * @since 0.1.0
 */
public record StoredDedupKey(String way, String id, @Nullable Instant until, int payloads) {

}
