package io.redelay.lock.quorum;

import java.time.Duration;

import io.redelay.lock.LockSpec;

import org.springframework.util.Assert;

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
		Assert.isTrue(timeout.compareTo(Duration.ofMillis(1)) >= 0,
				() -> "'redelay.lock.quorum.timeout' must be at least 1ms: " + timeout);
		Assert.isTrue(leaseTime.compareTo(timeout.multipliedBy(3)) >= 0 && LockSpec.isLease(leaseTime),
				() -> "'redelay.lock.quorum.lease-time' must be at least three times 'redelay.lock.quorum.timeout' ("
						+ timeout + "), so that it can be renewed in time, and at most 100 years: " + leaseTime);
	}

}
