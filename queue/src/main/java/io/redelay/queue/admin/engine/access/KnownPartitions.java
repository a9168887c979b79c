package io.redelay.queue.admin.engine.access;

import java.util.ArrayList;
import java.util.List;

import io.redelay.queue.partition.QueuePartitions;

/**
 * The partitions of queues, for callers that can wait for Redis.
 *
 * @since 0.1.0
 */
public record KnownPartitions(QueuePartitions partitions) {

	/**
	 * The partitions of a queue.
	 * @return the names that the store has for them, the first one first
	 */
	public List<String> of(String queue) {
		return StoreCalls.await(this.partitions.ask(queue));
	}

	/**
	 * The partitions of a queue in the order in which a message is looked for: one that
	 * was sent with an id and no other key is in the first of them.
	 */
	public List<String> of(String queue, String id) {
		List<String> all = of(queue);
		if (all.size() == 1) {
			return all;
		}
		String likely = this.partitions.ofKey(queue, id);
		List<String> sorted = new ArrayList<>(all);
		sorted.remove(likely);
		sorted.add(0, likely);
		return sorted;
	}

	/**
	 * Called when a queue has no living messages and is closed, so that keys can be
	 * spread anew. Surplus partitions stay known while the queue has dead messages.
	 */
	public void settle(String queue, boolean hasDead) {
		StoreCalls.await(this.partitions.settle(queue, !hasDead));
	}

	/**
	 * Forgets the partitions of a queue that was deleted.
	 */
	public void forget(String queue) {
		StoreCalls.await(this.partitions.forget(queue));
	}

}
