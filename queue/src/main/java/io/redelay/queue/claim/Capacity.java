package io.redelay.queue.claim;

import io.redelay.queue.handle.ContainerSettings;
import io.redelay.queue.handle.HandlingTimeEstimate;
import io.redelay.queue.invariant.Invariants;

/**
 * The bounds of a running container.
 *
 * @param permits how many handlers run and how many messages are held
 * @param pace how long handlers take
 * @param suspects how many suspects are held
 */
record Capacity(Permits permits, HandlingTimeEstimate pace, SuspectPlaces suspects) {

	static Capacity of(ContainerSettings settings, Invariants invariants) {
		HandlingTimeEstimate pace = new HandlingTimeEstimate(settings.prefetch());
		Permits permits = new Permits(settings, pace, invariants);
		return new Capacity(permits, pace, new SuspectPlaces(permits, invariants));
	}

}
