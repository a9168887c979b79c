package io.redelay.queue.listener;

import java.util.LinkedHashSet;
import java.util.Set;

import io.redelay.queue.invariant.Invariant;
import io.redelay.queue.invariant.Invariants;
import org.jspecify.annotations.Nullable;

/**
 * Bounds how many handlers of a container run, and how many messages its loops hold: as
 * many as the handlers are given at a time, and those that are claimed ahead of them, see
 * {@link Pace}. A loop reserves room before it claims. One that finds none waits in line.
 * <p>
 * Safe for use by many threads. Claimants are told of room while no lock is held.
 */
final class Permits {

	private final int min;

	private final int max;

	private final int batchSize;

	private final Pace pace;

	private final Invariants invariants;

	private int count;

	private int held;

	private final Set<Claimant> line = new LinkedHashSet<>();

	Permits(ContainerSettings settings, Pace pace, Invariants invariants) {
		this.min = settings.minConcurrency();
		this.max = settings.maxConcurrency();
		this.batchSize = settings.batchSize();
		this.pace = pace;
		this.invariants = invariants;
		this.count = this.min;
	}

	/**
	 * How many handlers may run now.
	 */
	synchronized int count() {
		return this.count;
	}

	/**
	 * For how many messages room is reserved.
	 */
	synchronized int held() {
		return this.held;
	}

	/**
	 * Reserves room for messages that are to be claimed. A claimant that finds none waits
	 * in line, and has its share of the room that is made before those that come later:
	 * so a busy queue does not keep all room of its container for itself. A claimant that
	 * yields is given none while other queues wait.
	 * @param claimant who claims
	 * @param most for how many at most
	 * @return for how many there is room
	 */
	synchronized int reserve(Claimant claimant, int most) {
		if (claimant.yields() && isAnotherQueueInLine(claimant)) {
			this.line.remove(claimant);
			return 0;
		}
		int room = Math.min(most, share(claimant));
		if (room > 0) {
			this.line.remove(claimant);
			this.held += room;
		}
		else {
			this.line.add(claimant);
		}
		return Math.max(0, room);
	}

	/**
	 * Leaves the line: a claimant in it must be ready to claim when room is made.
	 */
	synchronized void leaveLine(Claimant claimant) {
		this.line.remove(claimant);
	}

	private int room() {
		return this.count * this.batchSize + this.pace.prefetch(this.count) - this.held;
	}

	private boolean isAnotherQueueInLine(Claimant claimant) {
		return this.line.stream().anyMatch((other) -> !other.queue().equals(claimant.queue()));
	}

	private int share(Claimant claimant) {
		int room = room();
		int claimants = this.line.contains(claimant) ? this.line.size() : this.line.size() + 1;
		if (claimants == 1) {
			return room;
		}
		int share = room / claimants / this.batchSize * this.batchSize;
		boolean first = claimant == this.line.iterator().next();
		return (share == 0 && first) ? Math.min(room, this.batchSize) : share;
	}

	/**
	 * Gives room back: for messages that were not there, or are settled.
	 * @param count for how many; negative if a request that was repeated brought more
	 * than room was reserved for
	 */
	synchronized void release(Claimant claimant, int count) {
		this.held -= count;
		if (this.held < 0) {
			this.invariants.violated(claimant.queue(), Invariant.HELD_COUNT,
					"after the release of " + count + " there is room reserved for " + this.held + " messages");
			this.held = Math.max(0, this.held);
		}
	}

	/**
	 * Moves the number of permits within its range, after a claim was filled or was not.
	 */
	synchronized void claimed(Claimant claimant, boolean full) {
		if (full && this.count < this.max) {
			this.count++;
		}
		else if (!full && this.count > this.min) {
			this.count--;
		}
		if (this.count < this.min || this.count > this.max) {
			this.invariants.violated(claimant.queue(), Invariant.PERMITS,
					this.count + " permits are not " + this.min + " to " + this.max);
			this.count = Math.min(this.max, Math.max(this.min, this.count));
		}
	}

	/**
	 * Tells those who wait in line, the first one first, while there is room for them.
	 */
	void tellOfRoom() {
		Claimant told = null;
		for (Claimant next = next(); next != null && next != told; next = next()) {
			told = next;
			next.signal();
		}
	}

	/**
	 * Who is to be told that there is room.
	 * @return the first in line, or {@code null} if nobody waits or there is no room
	 */
	synchronized @Nullable Claimant next() {
		return (this.line.isEmpty() || room() <= 0) ? null : this.line.iterator().next();
	}

	/**
	 * A loop that claims from a queue.
	 */
	interface Claimant {

		/**
		 * The queue it claims from.
		 */
		String queue();

		/**
		 * Whether it leaves all room to other queues that wait for some.
		 */
		boolean yields();

		/**
		 * There is room: claims again, or leaves the line.
		 */
		void signal();

	}

}
