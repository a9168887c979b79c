package io.redelay.lock;

import java.time.Duration;

/**
 * A hold of a lock, as it is stored.
 *
 * @param client the id of the Redis client that took the lock
 * @param writing whether it is the hold of a write lock
 * @param lease how long the lease lasts yet
 * @since 0.1.0
 */
public record StoredHold(String client, boolean writing, Duration lease) {

}
