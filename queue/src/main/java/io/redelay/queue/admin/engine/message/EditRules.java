package io.redelay.queue.admin.engine.message;

import java.time.Duration;
import java.util.Map;

import io.redelay.queue.partition.QueuePartitions;
import org.jspecify.annotations.Nullable;

/**
 * How a waiting message may be changed: only to one that a sender could have sent.
 *
 * @param maxMessageSize how large a message may be, in bytes
 * @param ageings what a level of priority is worth, by queue, where priorities age
 * @param partitions how many partitions queues have
 * @since 0.1.0
 */
public record EditRules(long maxMessageSize, Map<String, Duration> ageings, QueuePartitions partitions) {

	@Nullable Duration ageing(String queue) {
		return this.ageings.get(queue);
	}

	/**
	 * Whether a queue can heed priorities: a partition does not know the messages of the
	 * others.
	 */
	boolean mayHavePriorities(String queue) {
		return ageing(queue) != null || this.partitions.mayHavePriorities(queue);
	}

}
