package io.redelay.queue.store;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;

import org.jspecify.annotations.Nullable;

/**
 * The lane on which one consumer claims from one queue: it is opened when needed, numbers
 * its requests, and is replaced when it died.
 * <p>
 * For use by one caller at a time, who waits for the reply to a claim before the next
 * one; only {@link #renew()} and {@link #name()} may be called meanwhile. Futures
 * complete on threads that must not be blocked.
 *
 * @since 0.1.0
 */
public final class ClaimLane {

	private final DelayQueueStore store;

	private final String queue;

	private final Duration lease;

	private volatile @Nullable String name;

	private final boolean registering;

	private long seq;

	/**
	 * Creates a lane.
	 * @param store the store
	 * @param queue the queue
	 * @param lease how long it lives without being renewed
	 */
	public ClaimLane(DelayQueueStore store, String queue, Duration lease) {
		this(store, queue, lease, true);
	}

	/**
	 * Creates a lane.
	 * @param store the store
	 * @param queue the queue
	 * @param lease how long it lives without being renewed
	 * @param registering whether it makes the queue's name known; not if another lane
	 * does
	 */
	public ClaimLane(DelayQueueStore store, String queue, Duration lease, boolean registering) {
		this.store = store;
		this.queue = queue;
		this.lease = lease;
		this.registering = registering;
	}

	/**
	 * The name under which the store knows the lane now.
	 * @return the name, or {@code null} if it is not open
	 */
	public @Nullable String name() {
		return this.name;
	}

	/**
	 * Opens the lane if it is not open.
	 * @return completes when it is open
	 */
	public CompletableFuture<Void> open() {
		if (this.name != null) {
			return CompletableFuture.completedFuture(null);
		}
		String opened = this.store.newLane();
		CompletableFuture<Void> known = this.registering ? this.store.register(this.queue)
				: CompletableFuture.completedFuture(null);
		return known.thenCompose((registered) -> this.store.openLane(this.queue, opened, this.lease)).thenRun(() -> {
			this.seq = 0;
			this.name = opened;
		});
	}

	/**
	 * Settles and claims on the open lane. If the reply says that the lane is gone, or if
	 * the future fails, nothing is held any more under this lane's name: it is to be
	 * opened again, and what was held can only be acknowledged {@link Settlement#LATE
	 * late}.
	 * @param wanted how many messages to claim at most
	 * @param maxBytes how large they are together at most
	 * @param suspect whether one of them may be a suspect
	 * @param sleep after what time the caller comes back by itself if it is given
	 * nothing, or zero
	 * @param settlements what is finished
	 * @return what was claimed
	 */
	public CompletableFuture<ClaimReply> claim(int wanted, int maxBytes, boolean suspect, Duration sleep,
			List<Settlement> settlements) {
		String lane = this.name;
		if (lane == null) {
			throw new IllegalStateException("The lane of the queue '" + this.queue + "' is not open");
		}
		this.seq++;
		return this.store
			.claim(this.queue,
					new ClaimRequest(lane, this.seq, this.lease, wanted, maxBytes, suspect, sleep, settlements))
			.whenComplete((reply, failure) -> {
				if (failure != null || reply.status() != LaneStatus.OK) {
					this.name = null;
				}
			});
	}

	/**
	 * Renews the lane, and with it the lease of all it holds.
	 * @return whether it is alive
	 */
	public CompletableFuture<Boolean> renew() {
		String lane = this.name;
		return (lane != null) ? this.store.renewLane(this.queue, lane, this.lease)
				: CompletableFuture.completedFuture(false);
	}

	/**
	 * Closes the lane, which must hold nothing.
	 * @return completes when it is closed
	 */
	public CompletableFuture<Void> close() {
		String lane = this.name;
		this.name = null;
		return (lane != null) ? this.store.closeLane(this.queue, lane) : CompletableFuture.completedFuture(null);
	}

}
