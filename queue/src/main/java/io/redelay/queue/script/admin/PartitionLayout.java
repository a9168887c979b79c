package io.redelay.queue.script.admin;

/**
 * How many partitions a queue has, as the store knows it.
 *
 * @param partitions how many there are
 * @param keyed over how many of them, from the first one on, messages with a key or an id
 * are spread
 * @since 0.1.0
 */
public record PartitionLayout(int partitions, int keyed) {

	/**
	 * The layout of a queue that has never had more than one partition.
	 */
	public static final PartitionLayout SINGLE = new PartitionLayout(1, 1);

}
