package io.redelay.queue.send;

import java.time.Duration;
import java.util.Map;

import io.redelay.queue.limits.PartitionName;
import io.redelay.queue.message.LengthLimit;
import io.redelay.queue.partition.QueuePartitions;
import org.jspecify.annotations.Nullable;

/**
 * The limits of sending.
 *
 * @param maxMessageSize how large a message may be, its headers included, in bytes
 * @param maxWaiting how much waits at most while other messages are on their way
 * @param afterCommit whether a message that is sent inside a Spring transaction waits for
 * its commit
 * @param limits how many messages single queues may have, by name
 * @param orders what decides when messages to single queues are delivered, by name
 * @param deduplications what becomes of messages to single queues with the same key, by
 * name
 * @param delays how long after its send a message to a single queue is due if its sender
 * names no time, by name
 * @param defaultQueue the queue of messages that are sent without naming one, or
 * {@code null} if such a send is refused
 * @since 0.1.0
 */
public record SendSettings(long maxMessageSize, MaxWaiting maxWaiting, boolean afterCommit,
		Map<String, LengthLimit> limits, Map<String, OrderSettings> orders,
		Map<String, DeduplicationSettings> deduplications, Map<String, Duration> delays,
		@Nullable String defaultQueue) {

	/**
	 * Returns how long a partition may be: its share of what the queue may hold.
	 */
	@Nullable LengthLimit limit(String partition, QueuePartitions partitions) {
		String queue = PartitionName.queueOf(partition);
		LengthLimit limit = this.limits.get(queue);
		return (limit != null) ? limit.share(partitions.configured(queue)) : null;
	}

	OrderSettings order(String queue) {
		return this.orders.getOrDefault(queue, OrderSettings.NONE);
	}

	/**
	 * How much waits at most while other messages are on their way; more is refused.
	 *
	 * @param messages how many messages to one queue
	 * @param bytes how large the unanswered messages to all queues are together
	 */
	public record MaxWaiting(int messages, long bytes) {

	}

}
