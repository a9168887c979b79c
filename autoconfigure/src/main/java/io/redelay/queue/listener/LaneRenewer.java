package io.redelay.queue.listener;

import java.time.Duration;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;

import io.redelay.queue.store.ClaimLane;

/**
 * Renews a lane three times a lease while something is held under it. A claim renews it
 * as well, so a busy loop needs none of this.
 */
final class LaneRenewer {

	private final ClaimLane lane;

	private final long leaseNanos;

	private final ScheduledExecutorService timer;

	private final Runnable died;

	private volatile long lastRenewed = System.nanoTime();

	private boolean needed;

	private boolean scheduled;

	LaneRenewer(ClaimLane lane, Duration lease, ScheduledExecutorService timer, Runnable died) {
		this.lane = lane;
		this.leaseNanos = lease.toNanos();
		this.timer = timer;
		this.died = died;
	}

	/**
	 * Says whether something is held.
	 */
	void need(boolean needed) {
		boolean start;
		synchronized (this) {
			this.needed = needed;
			start = needed && !this.scheduled;
			this.scheduled |= start;
		}
		if (start) {
			schedule(this.leaseNanos / 3);
		}
	}

	/**
	 * The lane was renewed by a request that was sent then.
	 */
	void renewed(long nanoTime) {
		if (nanoTime - this.lastRenewed > 0) {
			this.lastRenewed = nanoTime;
		}
	}

	/**
	 * Whether the lease cannot have run out yet.
	 */
	boolean isValid() {
		return System.nanoTime() - this.lastRenewed < this.leaseNanos;
	}

	private void schedule(long nanos) {
		try {
			this.timer.schedule(this::tick, nanos, TimeUnit.NANOSECONDS);
		}
		catch (RejectedExecutionException ex) {
			// The application is closing, and its lanes die with it.
		}
	}

	private void tick() {
		synchronized (this) {
			if (!this.needed) {
				this.scheduled = false;
				return;
			}
		}
		long now = System.nanoTime();
		long rest = this.lastRenewed + this.leaseNanos / 3 - now;
		if (rest > 0) {
			schedule(rest);
			return;
		}
		this.lane.renew().whenComplete((alive, failure) -> {
			if (failure == null && alive) {
				renewed(now);
			}
			else if (failure == null) {
				this.died.run();
			}
			schedule(this.leaseNanos / 3);
		});
	}

}
