package io.redelay.queue.send;

import io.redelay.queue.OutboundMessage;
import io.redelay.queue.partition.QueuePartitions;
import io.redelay.queue.store.MessageKeys;
import io.redelay.queue.store.NewMessage;

/**
 * Refuses messages that are to go before all less urgent ones of a queue which has
 * several partitions: a partition does not know what is in the others.
 */
final class PartitionPriorities {

	private final QueuePartitions partitions;

	PartitionPriorities(QueuePartitions partitions) {
		this.partitions = partitions;
	}

	/**
	 * Checks a message.
	 * @throws IllegalArgumentException if its priority cannot be respected
	 */
	void check(OutboundMessage message, NewMessage entry) {
		MessageKeys keys = entry.keys();
		if (keys == null || keys.priority() == null || keys.ageing() != null) {
			return;
		}
		String queue = message.queue();
		if (!this.partitions.mayHavePriorities(queue)) {
			throw new IllegalArgumentException("'priority' of the " + message + " cannot be heeded: the queue has "
					+ this.partitions.configured(queue)
					+ " partitions, and a less urgent message of another partition may go before it."
					+ " If priorities within each partition will do, set 'redelay.queue.queues." + queue
					+ ".priority-per-partition' to true");
		}
	}

}
