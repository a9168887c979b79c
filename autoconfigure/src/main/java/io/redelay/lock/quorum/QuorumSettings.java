package io.redelay.lock.quorum;

import java.time.Duration;

import io.redelay.lock.LockSpec;

import org.springframework.util.Assert;

/**
 * How a lock on several servers is taken and kept.
 *
 * @param leaseTime for how long it is taken if the caller names no lease; it is renewed
 * after a third of that
 * @param timeout how long to wait for the answer of one server
 * @since 0.1.0
 */
public record QuorumSettings(Duration leaseTime, Duration timeout) {

	/**
	 * Checks the values.
	 */
	public QuorumSettings {
		Assert.isTrue(timeout.compareTo(Duration.ofMillis(1)) >= 0,
				() -> "'timeout' must be at least 1 ms: " + timeout);
		Assert.isTrue(leaseTime.compareTo(timeout.multipliedBy(3)) >= 0 && LockSpec.isLease(leaseTime),
				() -> "'leaseTime' must be at least three times 'timeout' (" + timeout
						+ "), so that it can be renewed in time, and at most 100 years: " + leaseTime);
	}

}
