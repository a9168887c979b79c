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
 * @param minHold how long to hold the lock at least, even if the application dies before
 * @since 0.1.0
 */
public record LockRequest(String key, @Nullable Duration waitTime, @Nullable Duration leaseTime, Duration minHold) {

	/**
	 * Creates a request for a lock that is free as soon as it is released.
	 * @param key the key
	 * @param waitTime how long to wait while another holds the lock, or {@code null} to
	 * wait until it is acquired
	 * @param leaseTime how long to hold the lock at most, or {@code null} to hold it
	 * until it is released, as long as the application lives
	 */
	public LockRequest(String key, @Nullable Duration waitTime, @Nullable Duration leaseTime) {
		this(key, waitTime, leaseTime, Duration.ZERO);
	}

}
