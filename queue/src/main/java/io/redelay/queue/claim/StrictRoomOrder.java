package io.redelay.queue.claim;

import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.function.Predicate;

import io.redelay.queue.handle.QueueOrder;
import io.redelay.queue.limits.PartitionName;
import org.jspecify.annotations.Nullable;

/**
 * Gives room to a queue only while no queue before it may have messages: the last claim
 * of each brought less than was wanted. Helping loops do not count, as the loops that
 * they help claim whenever they do.
 */
final class StrictRoomOrder extends RoomOrder {

	private final QueueOrder order;

	/**
	 * The queues that were not claimed from yet.
	 */
	private final Set<String> unknown;

	/**
	 * The claimants that have asked for room, and whose queue may have more since; by the
	 * place of their queue.
	 */
	private final Map<Permits.Claimant, Integer> wanting = new HashMap<>();

	/**
	 * The claimants whose claim is on its way.
	 */
	private final Set<Permits.Claimant> claiming = new HashSet<>();

	StrictRoomOrder(QueueOrder order) {
		this.order = order;
		this.unknown = new HashSet<>(order.queues());
	}

	private int place(Permits.Claimant claimant) {
		return this.order.place(claimant.queue());
	}

	@Override
	boolean isBlocked(Permits.Claimant claimant) {
		return waitsFor(claimant.queue()) != null;
	}

	@Override
	boolean isBefore(Permits.Claimant claimant, Permits.Claimant earlier) {
		return place(claimant) < place(earlier);
	}

	@Override
	int leavesTo(Permits.Claimant claimant, int others) {
		return Math.min(others, place(claimant));
	}

	@Override
	void asked(Permits.Claimant claimant, int room) {
		if (!claimant.yields()) {
			this.wanting.put(claimant, place(claimant));
			if (room > 0) {
				this.claiming.add(claimant);
			}
		}
	}

	@Override
	void answered(Permits.Claimant claimant, int wanted, int brought) {
		this.claiming.remove(claimant);
	}

	@Override
	void claimed(Permits.Claimant claimant, boolean full) {
		this.unknown.remove(PartitionName.queueOf(claimant.queue()));
		if (!full) {
			this.wanting.remove(claimant);
		}
	}

	@Override
	void withdrew(Permits.Claimant claimant) {
		this.unknown.remove(PartitionName.queueOf(claimant.queue()));
		this.wanting.remove(claimant);
	}

	@Override
	@Nullable String waitsFor(String queue) {
		for (String before : this.order.queues().subList(0, this.order.place(queue))) {
			if (this.unknown.contains(before) || this.wanting.containsValue(this.order.place(before))) {
				return before;
			}
		}
		return null;
	}

	@Override
	boolean isAhead(String queue, Predicate<Permits.Claimant> hasRoom) {
		int own = this.order.place(queue);
		return this.wanting.entrySet()
			.stream()
			.anyMatch((each) -> each.getValue() < own
					&& (this.claiming.contains(each.getKey()) || hasRoom.test(each.getKey())));
	}

}
