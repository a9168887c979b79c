package io.redelay.queue.listener;

import java.util.LinkedHashSet;
import java.util.Set;

import org.jspecify.annotations.Nullable;

/**
 * Bounds what a container handles and holds. Handlers have permits; beyond them as many
 * messages are held as are handled in 100 ms, unless a number is given.
 * <p>
 * Safe for use by many threads.
 */
final class Capacity {

	private static final long PREFETCH_NANOS = 100_000_000;

	private static final int MAX_PREFETCH = 500;

	private static final long FAST_NANOS = 1_000_000;

	private static final long BRIEF_NANOS = 100_000;

	private final int minPermits;

	private final int maxPermits;

	private final int batchSize;

	private final @Nullable Integer prefetch;

	private int permits;

	private int held;

	private long meanNanos = Long.MAX_VALUE;

	private int suspects;

	private final Set<PollLoop> line = new LinkedHashSet<>();

	Capacity(ContainerSettings settings) {
		this.minPermits = settings.minConcurrency();
		this.maxPermits = settings.maxConcurrency();
		this.batchSize = settings.batchSize();
		this.prefetch = settings.prefetch();
		this.permits = this.minPermits;
	}

	/**
	 * How many handlers may run now.
	 */
	synchronized int permits() {
		return this.permits;
	}

	/**
	 * Reserves room for messages that are to be claimed. Who finds none waits in line,
	 * and has its share of the room that is made before those who come later: so a busy
	 * queue does not keep all room of its container for itself. A loop that only helps
	 * another one is given none while other queues wait.
	 * @param loop who claims
	 * @param most for how many at most
	 * @return for how many there is room
	 */
	synchronized int reserve(PollLoop loop, int most) {
		if (isInTheWay(loop)) {
			this.line.remove(loop);
			return 0;
		}
		int room = Math.min(most, share(loop));
		if (room > 0) {
			this.line.remove(loop);
			this.held += room;
		}
		else {
			this.line.add(loop);
		}
		return Math.max(0, room);
	}

	/**
	 * Leaves the line: whoever waits in it must be ready to claim when room is made.
	 */
	synchronized void leaveLine(PollLoop loop) {
		this.line.remove(loop);
	}

	/**
	 * Who is to be told that there is room: the first one in line.
	 * @return the loop, or {@code null} if nobody waits or there is no room
	 */
	synchronized @Nullable PollLoop next() {
		return (this.line.isEmpty() || room() <= 0) ? null : this.line.iterator().next();
	}

	private int room() {
		return this.permits * this.batchSize + prefetch() - this.held;
	}

	/**
	 * Whether a loop that only helps another one would keep the room from other queues.
	 */
	private boolean isInTheWay(PollLoop loop) {
		return !loop.isPolling() && this.line.stream().anyMatch((other) -> !other.queue().equals(loop.queue()));
	}

	private int share(PollLoop loop) {
		int room = room();
		int claimants = this.line.contains(loop) ? this.line.size() : this.line.size() + 1;
		if (claimants == 1) {
			return room;
		}
		int share = room / claimants / this.batchSize * this.batchSize;
		boolean first = loop == this.line.iterator().next();
		return (share == 0 && first) ? Math.min(room, this.batchSize) : share;
	}

	/**
	 * Gives room back: for messages that were not there, or are settled.
	 */
	synchronized void release(int count) {
		this.held -= count;
	}

	synchronized int held() {
		return this.held;
	}

	/**
	 * Takes note of whether a claim was filled, which moves the permits within their
	 * range.
	 */
	synchronized void claimed(boolean full) {
		if (full && this.permits < this.maxPermits) {
			this.permits++;
		}
		else if (!full && this.permits > this.minPermits) {
			this.permits--;
		}
	}

	/**
	 * Takes note of how long it took to handle a message.
	 */
	synchronized void handled(long nanos) {
		this.meanNanos = (this.meanNanos == Long.MAX_VALUE) ? nanos : this.meanNanos + (nanos - this.meanNanos) / 8;
	}

	/**
	 * Takes note that messages have waited for a handler far longer than what is
	 * prefetched should take: nothing is prefetched until handlers have proved fast
	 * again.
	 */
	synchronized void stalled() {
		this.meanNanos = Math.max(this.meanNanos, PREFETCH_NANOS * this.permits + 1);
	}

	/**
	 * Whether handlers are known to be so fast that what is claimed is about to be
	 * settled.
	 */
	synchronized boolean isFast() {
		return this.meanNanos < FAST_NANOS;
	}

	/**
	 * Whether handlers are known to take less time than a request.
	 */
	synchronized boolean isBrief() {
		return this.meanNanos < BRIEF_NANOS;
	}

	/**
	 * Whether some handlers are expected to be through with messages in less time than a
	 * request takes.
	 */
	synchronized boolean areBrief(int messages, int handlers) {
		return isBrief() && messages * this.meanNanos <= handlers * BRIEF_NANOS;
	}

	/**
	 * Reserves a place for a message whose lane died: there are as many as handlers run.
	 */
	synchronized boolean reserveSuspect() {
		if (this.suspects >= this.permits) {
			return false;
		}
		this.suspects++;
		return true;
	}

	/**
	 * Takes a place for a suspect that is there although none was reserved.
	 */
	synchronized void addSuspect() {
		this.suspects++;
	}

	/**
	 * Gives a place back that was reserved for a suspect, which was not there or is
	 * settled.
	 */
	synchronized void releaseSuspect() {
		this.suspects--;
	}

	private int prefetch() {
		if (this.prefetch != null) {
			return this.prefetch;
		}
		return (int) Math.min(MAX_PREFETCH, PREFETCH_NANOS * this.permits / Math.max(1, this.meanNanos));
	}

}
