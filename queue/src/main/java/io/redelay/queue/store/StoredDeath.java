package io.redelay.queue.store;

import java.time.Instant;

import org.jspecify.annotations.Nullable;

/**
 * A death in the store, without the message.
 *
 * @param uid the message's uid
 * @param at when it died
 * @param cause why, as JSON, if that is known
 * @since 0.1.0
 */
public record StoredDeath(String uid, Instant at, @Nullable String cause) {

}
