package io.redelay.lock;

import java.time.Duration;

import org.jspecify.annotations.Nullable;

/**
 * The request for one lock.
 *
 * @param key the key
 * @param waitTime how long to wait while another holds the lock, or {@code null} to wait
 * until it is acquired
 * @param leaseTime how long to hold the lock at most, or {@code null} to hold it until it
 * is released, as long as the application lives
 * @since 0.1.0
 */
public record LockRequest(String key, @Nullable Duration waitTime, @Nullable Duration leaseTime) {

}
