package io.redelay.queue.limits;

import java.nio.charset.StandardCharsets;
import java.util.zip.CRC32;

/**
 * The names that the store has for the partitions of a queue. The first partition of the
 * queue {@code orders} is the queue {@code orders} of the store, the others are
 * {@code orders~1}, {@code orders~2} and so on: {@code ~} is no part of the name of any
 * queue.
 *
 * @since 0.1.0
 */
public final class PartitionName {

	/**
	 * How many partitions a queue may have.
	 */
	public static final int MOST = 64;

	private static final char SEPARATOR = '~';

	private PartitionName() {
	}

	/**
	 * Returns the name that the store has for a partition.
	 * @param queue the queue
	 * @param index which partition, from 0
	 * @return the name
	 */
	public static String of(String queue, int index) {
		return (index == 0) ? queue : queue + SEPARATOR + index;
	}

	/**
	 * Returns the queue that a partition belongs to.
	 * @param partition a name that the store has
	 * @return the name of the queue
	 */
	public static String queueOf(String partition) {
		int separator = partition.indexOf(SEPARATOR);
		return (separator < 0) ? partition : partition.substring(0, separator);
	}

	/**
	 * Whether a name is that of a partition other than the first one.
	 * @param name a name that the store has
	 * @return whether it is not the name of a queue
	 */
	public static boolean isFurther(String name) {
		return name.indexOf(SEPARATOR) >= 0;
	}

	/**
	 * Chooses the partition of a key: the CRC-32 of its UTF-8 bytes modulo the number of
	 * partitions, the same in each version and language.
	 * @param queue the queue
	 * @param key the key
	 * @param partitions over how many partitions the keys of the queue are spread
	 * @return the name that the store has for the partition
	 */
	public static String ofKey(String queue, String key, int partitions) {
		if (partitions == 1) {
			return queue;
		}
		CRC32 hash = new CRC32();
		hash.update(key.getBytes(StandardCharsets.UTF_8));
		return of(queue, (int) (hash.getValue() % partitions));
	}

}
