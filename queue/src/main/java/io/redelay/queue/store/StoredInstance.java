package io.redelay.queue.store;

import java.time.Instant;

/**
 * An instance that tells of itself.
 *
 * @param name its name in the store
 * @param until until when it is believed, by the clock of the store
 * @param description what it tells
 * @since 0.1.0
 */
public record StoredInstance(String name, Instant until, String description) {

}
