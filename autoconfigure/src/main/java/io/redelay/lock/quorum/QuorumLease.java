package io.redelay.lock.quorum;

import java.time.Duration;
import java.util.concurrent.TimeUnit;

import io.redelay.lock.LockRequest;

/**
 * For how long servers are asked to keep a lock.
 *
 * @param millis for how long
 * @param renewed whether it is renewed
 */
record QuorumLease(long millis, boolean renewed) {

	static QuorumLease of(LockRequest request, QuorumSettings settings) {
		Duration asked = request.leaseTime();
		return new QuorumLease(((asked != null) ? asked : settings.leaseTime()).toMillis(), asked == null);
	}

	/**
	 * Until when a lock is certainly held that was asked for at a time: a hundredth less
	 * than the lease, as the clocks of servers do not run at one speed.
	 */
	long validUntil(long begin) {
		return begin + TimeUnit.MILLISECONDS.toNanos(this.millis - this.millis / 100)
				- TimeUnit.MILLISECONDS.toNanos(2);
	}

}
