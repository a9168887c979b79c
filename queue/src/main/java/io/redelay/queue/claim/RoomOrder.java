package io.redelay.queue.claim;

import java.util.List;
import java.util.function.Predicate;

import io.redelay.queue.handle.QueueOrder;
import org.jspecify.annotations.Nullable;

/**
 * Decides which of the loops that wait for room in {@link Permits} gets it first. This
 * order gives it to all in turn.
 * <p>
 * Guarded by the lock of the permits.
 */
class RoomOrder {

	/**
	 * Creates the order of the queues of a container.
	 */
	static RoomOrder of(QueueOrder order, int batchSize) {
		if (order.isPlain()) {
			return new RoomOrder();
		}
		return order.strict() ? new StrictRoomOrder(order) : new WeightedRoomOrder(order, batchSize);
	}

	/**
	 * Returns whether a claimant gets no room for now, because a queue before its own may
	 * have messages.
	 */
	boolean isBlocked(Permits.Claimant claimant) {
		return false;
	}

	/**
	 * Returns whether a claimant goes before another one that came earlier.
	 */
	boolean isBefore(Permits.Claimant claimant, Permits.Claimant earlier) {
		return false;
	}

	/**
	 * Returns how much room a claimant may have at most.
	 * @param room how much there is for it
	 * @param capacity for how many messages there is room in all
	 */
	int most(int room, int capacity, Permits.Claimant claimant) {
		return room;
	}

	/**
	 * Returns the part of the free room that a claimant has.
	 * @param free the room
	 * @param rivals the others, and perhaps the claimant, at least one
	 * @param claimants their number, including the claimant
	 */
	int share(int free, Permits.Claimant claimant, List<Permits.Claimant> rivals, int claimants) {
		return free / claimants;
	}

	/**
	 * Returns for how many of the other queues a busy queue leaves some of the prefetch.
	 * @param others how many there are
	 */
	int leavesTo(Permits.Claimant claimant, int others) {
		return others;
	}

	/**
	 * Called when a claimant has asked for room.
	 * @param room how much it got; 0 if it waits for some
	 */
	void asked(Permits.Claimant claimant, int room) {
	}

	/**
	 * Called when a claim was answered, or failed.
	 */
	void answered(Permits.Claimant claimant, int wanted, int brought) {
	}

	/**
	 * Called when a claimant has given room back.
	 */
	void released(Permits.Claimant claimant, int count) {
	}

	/**
	 * Called when a claim was answered.
	 * @param full whether it brought as much as was wanted
	 */
	void claimed(Permits.Claimant claimant, boolean full) {
	}

	/**
	 * Called when a claimant claims no more for now.
	 */
	void withdrew(Permits.Claimant claimant) {
	}

	/**
	 * Returns the first queue before this one that may have messages, so that this one
	 * waits.
	 * @param queue the queue
	 * @return that queue, or {@code null} if it waits for none
	 */
	@Nullable String waitsFor(String queue) {
		return null;
	}

	/**
	 * Returns whether a claimant of a queue before this one has a claim under way, or is
	 * about to send one.
	 * @param queue the queue
	 * @param hasRoom whether there is room for a claimant
	 */
	boolean isAhead(String queue, Predicate<Permits.Claimant> hasRoom) {
		return false;
	}

}
