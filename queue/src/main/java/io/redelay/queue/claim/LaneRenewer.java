package io.redelay.queue.claim;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;

import io.redelay.scheduling.AsyncCall;
import io.redelay.scheduling.Scheduler;

/**
 * Renews a lane three times per lease while it holds messages. A claim renews it as well,
 * so a busy loop needs no other renewal. Asks as often whether held messages were
 * cancelled.
 */
final class LaneRenewer {

	private final ClaimLane lane;

	private final long leaseNanos;

	private final Scheduler scheduler;

	private final Runnable died;

	private final CancellationWatch cancellations;

	private volatile long lastRenewed;

	private boolean needed;

	private boolean scheduled;

	LaneRenewer(ClaimLane lane, Duration lease, Scheduler scheduler, Runnable died, CancellationWatch cancellations) {
		this.lane = lane;
		this.leaseNanos = lease.toNanos();
		this.scheduler = scheduler;
		this.died = died;
		this.cancellations = cancellations;
		this.lastRenewed = scheduler.nanoTime();
	}

	/**
	 * Sets whether the lane holds messages.
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
	 * Records that a request sent at this time renewed the lane.
	 */
	void renewed(long nanoTime) {
		if (nanoTime - this.lastRenewed > 0) {
			this.lastRenewed = nanoTime;
		}
	}

	/**
	 * Returns whether the lease cannot have run out yet.
	 */
	boolean isValid() {
		return this.scheduler.nanoTime() - this.lastRenewed < this.leaseNanos;
	}

	/**
	 * Schedules the next look, unless the application is closing: its lanes die with it.
	 * If the timer has no thread now, the next request tries again.
	 */
	private void schedule(long nanos) {
		if (this.scheduler.schedule(this::tick, nanos) == null) {
			synchronized (this) {
				this.scheduled = false;
			}
		}
	}

	private void tick() {
		synchronized (this) {
			if (!this.needed) {
				this.scheduled = false;
				return;
			}
		}
		long rest = this.lastRenewed + this.leaseNanos / 3 - this.scheduler.nanoTime();
		if (rest > 0) {
			schedule(rest);
			this.cancellations.ask();
			return;
		}
		renew().whenComplete((done, failure) -> schedule(this.leaseNanos / 3));
	}

	/**
	 * Renews the lane at once if it is open, because Redis answers again. If Redis went
	 * back in time, other lanes wait until this one has made a request, even if it holds
	 * nothing. The loop also learns now if Redis has forgotten requests of the lane.
	 */
	void renewNow() {
		if (this.lane.name() != null) {
			renew();
		}
	}

	/**
	 * Renews the lane.
	 * @return a future that completes when the outcome is known
	 */
	private CompletableFuture<?> renew() {
		long now = this.scheduler.nanoTime();
		// A tick that throws would be the last one.
		return AsyncCall.of(this.lane::renew).thenAccept((renewal) -> {
			if (!renewal.alive()) {
				this.died.run();
				return;
			}
			renewed(now);
			if (renewal.someCancelled()) {
				this.cancellations.ask();
			}
		});
	}

}
