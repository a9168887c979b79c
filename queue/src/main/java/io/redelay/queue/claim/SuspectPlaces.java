package io.redelay.queue.claim;

import io.redelay.queue.invariant.Invariant;
import io.redelay.queue.invariant.Invariants;

/**
 * Counts the suspects, the messages whose lane died, that a container holds: at most as
 * many as it may run handlers.
 * <p>
 * Safe for use by many threads.
 */
final class SuspectPlaces {

	private final Permits permits;

	private final Invariants invariants;

	private int taken;

	SuspectPlaces(Permits permits, Invariants invariants) {
		this.permits = permits;
		this.invariants = invariants;
	}

	/**
	 * Reserves a place for a suspect that the next claim may bring.
	 * @return whether there was one
	 */
	synchronized boolean reserve() {
		if (this.taken >= this.permits.count()) {
			return false;
		}
		this.taken++;
		return true;
	}

	/**
	 * Takes a place for a suspect that is held although none was reserved.
	 */
	synchronized void add() {
		this.taken++;
	}

	/**
	 * Gives a place back: the claim brought no suspect, or the suspect is settled.
	 * @param queue the queue that was claimed from
	 */
	synchronized void release(String queue) {
		this.taken--;
		if (this.taken < 0) {
			this.invariants.violated(queue, Invariant.SUSPECT_COUNT, this.taken + " places of suspects are taken");
			this.taken = 0;
		}
	}

}
