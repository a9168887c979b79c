package io.redelay.queue.listener;

import java.util.HashMap;
import java.util.List;
import java.util.Map;

import io.redelay.queue.limits.PartitionName;

/**
 * Gives room to queues by their weights: first to the one that has had the least for its
 * weight. A queue that had nothing to claim saves nothing up.
 */
final class WeightedRoomOrder extends RoomOrder {

	private final QueueOrder order;

	/**
	 * By queue: for how many messages it has had room, each divided by its weight.
	 */
	private final Map<String, Double> had = new HashMap<>();

	/**
	 * What the queue had that was given room last.
	 */
	private double reached;

	WeightedRoomOrder(QueueOrder order) {
		this.order = order;
	}

	private static String queue(Permits.Claimant claimant) {
		return PartitionName.queueOf(claimant.queue());
	}

	private double had(Permits.Claimant claimant) {
		return this.had.getOrDefault(queue(claimant), 0.0);
	}

	@Override
	boolean isBefore(Permits.Claimant claimant, Permits.Claimant earlier) {
		return had(claimant) < had(earlier);
	}

	@Override
	int share(int free, Permits.Claimant claimant, List<Permits.Claimant> rivals, int claimants) {
		int own = this.order.weight(queue(claimant));
		int all = rivals.contains(claimant) ? 0 : own;
		for (Permits.Claimant rival : rivals) {
			all += this.order.weight(queue(rival));
		}
		return free * own / all;
	}

	@Override
	void asked(Permits.Claimant claimant, int room) {
		double before = Math.max(had(claimant), this.reached - 1);
		if (room > 0) {
			this.reached = Math.max(this.reached, before);
		}
		this.had.put(queue(claimant), before + (double) room / this.order.weight(queue(claimant)));
	}

	@Override
	void answered(Permits.Claimant claimant, int wanted, int brought) {
		this.had.merge(queue(claimant), (double) (brought - wanted) / this.order.weight(queue(claimant)), Double::sum);
	}

}
