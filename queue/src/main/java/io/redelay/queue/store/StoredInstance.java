package io.redelay.queue.store;

import java.time.Instant;

/**
 * An instance that announces itself.
 *
 * @param name its name in the store
 * @param until when its announcement ends, by the clock of the store
 * @param description its description of itself
 * @since 0.1.0
 */
public record StoredInstance(String name, Instant until, String description) {

}
