package io.redelay.queue.handle;

import java.util.List;
import java.util.Map;

import io.redelay.queue.limits.PartitionName;

import org.springframework.util.Assert;

/**
 * The order in which the queues of a listener get handlers. They take turns, as many as
 * the weight of each says; or the first queue that has messages goes before the others.
 *
 * @param queues the queues, the first one first
 * @param strict whether a queue gets handlers only while those before it have no messages
 * @param weights how many turns each queue has in a round; 1 by default
 * @since 0.1.0
 */
public record QueueOrder(List<String> queues, boolean strict, Map<String, Integer> weights) {

	/**
	 * The largest weight of a queue.
	 */
	public static final int LARGEST_WEIGHT = 100;

	/**
	 * Checks the weights.
	 */
	public QueueOrder {
		queues = List.copyOf(queues);
		weights = Map.copyOf(weights);
		for (Map.Entry<String, Integer> weight : weights.entrySet()) {
			Assert.isTrue(weight.getValue() >= 1 && weight.getValue() <= LARGEST_WEIGHT,
					() -> "'queueWeights' must be 1 to " + LARGEST_WEIGHT + ": " + weight.getValue() + " for '"
							+ weight.getKey() + "'");
		}
	}

	/**
	 * Creates the order of queues that take turns.
	 * @param queues the queues
	 * @return the order
	 */
	public static QueueOrder turns(List<String> queues) {
		return new QueueOrder(queues, false, Map.of());
	}

	/**
	 * Returns whether the queues take equal turns, or there is only one.
	 * @return whether the order has no effect
	 */
	public boolean isPlain() {
		return this.queues.size() == 1
				|| (!this.strict && this.queues.stream().map(this::weight).distinct().count() == 1);
	}

	/**
	 * Returns how many turns a queue has in a round.
	 * @param queue the queue
	 * @return the weight, from 1
	 */
	public int weight(String queue) {
		return this.weights.getOrDefault(queue, 1);
	}

	/**
	 * Returns the place of a queue.
	 * @param partition the queue, or a partition of it
	 * @return 0 for the first one
	 */
	public int place(String partition) {
		return this.queues.indexOf(PartitionName.queueOf(partition));
	}

}
