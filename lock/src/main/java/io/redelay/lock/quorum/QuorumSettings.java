package io.redelay.lock.quorum;

import java.time.Duration;

import io.redelay.lock.LockSpec;

/**
 * The settings of locks on several servers.
 *
 * @param leaseTime the lease if the caller names none; it is renewed after a third of it
 * @param timeout how long to wait for the answer of one server
 * @since 0.1.0
 */
public record QuorumSettings(Duration leaseTime, Duration timeout) {

	/**
	 * Validates the values.
	 */
	public QuorumSettings {
		if (timeout.compareTo(Duration.ofMillis(1)) < 0) {
			throw new IllegalArgumentException("'redelay.lock.quorum.timeout' must be at least 1ms: " + timeout);
		}
		if (leaseTime.compareTo(timeout.multipliedBy(3)) < 0 || !LockSpec.isLease(leaseTime)) {
			throw new IllegalArgumentException(
					"'redelay.lock.quorum.lease-time' must be at least three times 'redelay.lock.quorum.timeout' ("
							+ timeout + "), so that it can be renewed in time, and at most 100 years: " + leaseTime);
		}
	}

}
