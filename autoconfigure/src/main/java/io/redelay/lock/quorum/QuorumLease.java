package io.redelay.lock.quorum;

import java.time.Duration;
import java.util.concurrent.TimeUnit;

import io.redelay.lock.LockRequest;

/**
 * The lease of a lock on each server.
 *
 * @param millis the lease
 * @param renewed whether it is renewed
 */
record QuorumLease(long millis, boolean renewed) {

	static QuorumLease of(LockRequest request, QuorumSettings settings) {
		Duration asked = request.leaseTime();
		return new QuorumLease(((asked != null) ? asked : settings.leaseTime()).toMillis(), asked == null);
	}

	/**
	 * Returns until when a lock is certainly held that was requested at a time: a
	 * hundredth less than the lease, as the clocks of servers differ in speed.
	 */
	long validUntil(long begin) {
		return begin + TimeUnit.MILLISECONDS.toNanos(this.millis - this.millis / 100)
				- TimeUnit.MILLISECONDS.toNanos(2);
	}

}
