package io.redelay.lock;

import java.time.Duration;

import org.jspecify.annotations.Nullable;

/**
 * A lock that is asked for.
 *
 * @param key what is locked
 * @param waitTime how long to wait while another holds it, or {@code null} for as long as
 * it takes
 * @param leaseTime how long to hold it at most, or {@code null} until it is released, for
 * as long as the application lives
 * @since 0.1.0
 */
public record LockRequest(String key, @Nullable Duration waitTime, @Nullable Duration leaseTime) {

}
