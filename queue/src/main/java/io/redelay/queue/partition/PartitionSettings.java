package io.redelay.queue.partition;

/**
 * What is configured here for the partitions of a queue.
 *
 * @param partitions how many there are, at least 1
 * @param priorityPerPartition whether messages with a priority may be sent to several
 * partitions, each of which respects priorities only within itself
 * @since 0.1.0
 */
public record PartitionSettings(int partitions, boolean priorityPerPartition) {

	static final PartitionSettings SINGLE = new PartitionSettings(1, false);

}
