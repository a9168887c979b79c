package io.redelay.lock.quorum;

import java.time.Duration;
import java.util.concurrent.TimeUnit;

import io.redelay.lock.LockRequest;

/**
 * The lease of a lock on each server.
 *
 * @param millis the lease
 * @param leastMillis how long it lasts at least from the first request, whatever becomes
 * of the holder
 * @param renewed whether it is renewed
 */
record QuorumLease(long millis, long leastMillis, boolean renewed) {

	static QuorumLease of(LockRequest request, QuorumSettings settings) {
		Duration asked = request.leaseTime();
		return new QuorumLease(((asked != null) ? asked : settings.leaseTime()).toMillis(),
				request.minHold().toMillis(), asked == null);
	}

	/**
	 * Returns the lease of the first request.
	 */
	long firstMillis() {
		return Math.max(this.millis, this.leastMillis);
	}

	/**
	 * Returns the lease of a request.
	 * @param first when the lock was requested first
	 * @param now when it is requested
	 */
	long millis(long first, long now) {
		return Math.max(this.millis, this.leastMillis - TimeUnit.NANOSECONDS.toMillis(now - first));
	}

	/**
	 * Returns until when a lock is certainly held: a hundredth less than the lease, as
	 * the clocks of servers differ in speed.
	 * @param first when the lock was requested first
	 * @param begin when it was requested last
	 */
	long validUntil(long first, long begin) {
		long lease = millis(first, begin);
		return begin + TimeUnit.MILLISECONDS.toNanos(lease - lease / 100) - TimeUnit.MILLISECONDS.toNanos(2);
	}

}
