package io.redelay.queue.claim;

import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

import io.redelay.queue.handle.QueueOrder;
import io.redelay.queue.limits.PartitionName;

/**
 * Gives room to queues by their weights: first to the one that has had the least for its
 * weight, and to none more than its share while others want some. A queue with nothing to
 * claim does not save up turns.
 */
final class WeightedRoomOrder extends RoomOrder {

	private final QueueOrder order;

	private final int batchSize;

	/**
	 * How many messages each queue has had room for, divided by its weight.
	 */
	private final Map<String, Double> had = new HashMap<>();

	/**
	 * How many messages each queue has room for now.
	 */
	private final Map<String, Integer> held = new HashMap<>();

	/**
	 * The claimants that have asked for room, and whose queue may have more since.
	 */
	private final Set<Permits.Claimant> wanting = new HashSet<>();

	/**
	 * The highest value in {@code had} at which a queue was given room.
	 */
	private double reached;

	/**
	 * Creates an order.
	 * @param batchSize how many messages a handler gets at a time: no queue has room for
	 * less than that
	 */
	WeightedRoomOrder(QueueOrder order, int batchSize) {
		this.order = order;
		this.batchSize = batchSize;
	}

	private static String queue(Permits.Claimant claimant) {
		return PartitionName.queueOf(claimant.queue());
	}

	private int weight(Permits.Claimant claimant) {
		return this.order.weight(queue(claimant));
	}

	private double had(Permits.Claimant claimant) {
		return this.had.getOrDefault(queue(claimant), 0.0);
	}

	@Override
	boolean isBefore(Permits.Claimant claimant, Permits.Claimant earlier) {
		return had(claimant) < had(earlier);
	}

	@Override
	int most(int room, int capacity, Permits.Claimant claimant) {
		String own = queue(claimant);
		int others = this.wanting.stream()
			.map(WeightedRoomOrder::queue)
			.distinct()
			.filter((queue) -> !queue.equals(own))
			.mapToInt(this.order::weight)
			.sum();
		int weight = weight(claimant);
		int batch = (weight + others) * this.batchSize;
		int share = (capacity * weight + batch - 1) / batch * this.batchSize;
		return (others == 0) ? room : Math.min(room, share - this.held.getOrDefault(own, 0));
	}

	@Override
	int share(int free, Permits.Claimant claimant, List<Permits.Claimant> rivals, int claimants) {
		int own = weight(claimant);
		int others = rivals.stream().mapToInt(this::weight).sum();
		return free * own / (rivals.contains(claimant) ? others : others + own);
	}

	@Override
	void asked(Permits.Claimant claimant, int room) {
		if (!claimant.yields()) {
			this.wanting.add(claimant);
		}
		double before = Math.max(had(claimant), this.reached - 1);
		if (room > 0) {
			this.reached = Math.max(this.reached, before);
			this.held.merge(queue(claimant), room, Integer::sum);
		}
		this.had.put(queue(claimant), before + (double) room / weight(claimant));
	}

	@Override
	void answered(Permits.Claimant claimant, int wanted, int brought) {
		this.had.merge(queue(claimant), (double) (brought - wanted) / weight(claimant), Double::sum);
	}

	@Override
	void released(Permits.Claimant claimant, int count) {
		this.held.merge(queue(claimant), -count, Integer::sum);
	}

	@Override
	void claimed(Permits.Claimant claimant, boolean full) {
		if (!full) {
			this.wanting.remove(claimant);
		}
	}

	@Override
	void withdrew(Permits.Claimant claimant) {
		this.wanting.remove(claimant);
	}

}
