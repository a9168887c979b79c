package io.redelay.queue.send;

import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.atomic.AtomicInteger;

import io.redelay.queue.limits.PartitionName;
import io.redelay.queue.partition.QueuePartitions;
import org.jspecify.annotations.Nullable;

/**
 * Chooses the partition that a message is sent to: that of its key or, without a key, the
 * next partition. The next one stays the same until a request was sent to it, so that
 * messages sent at the same time share a request.
 * <p>
 * Safe for use by many threads.
 */
final class PartitionChoice {

	/**
	 * For how many messages a partition stays the next one while no request is sent: a
	 * partition whose Redis does not answer must not get all messages.
	 */
	private static final int MOST_IN_A_ROW = 100;

	private final QueuePartitions partitions;

	private final ConcurrentMap<String, Turn> turns = new ConcurrentHashMap<>();

	PartitionChoice(QueuePartitions partitions) {
		this.partitions = partitions;
	}

	/**
	 * Whether the choice needs the partitions in Redis, and those are not known yet. A
	 * queue that has one partition here does not wait for that: the configuration of
	 * other instances is read soon after the first key.
	 */
	boolean mustAsk(String queue) {
		return this.partitions.configured(queue) > 1 && !this.partitions.isReady();
	}

	/**
	 * Chooses a partition.
	 * @return the name that the store has for it
	 */
	String choose(String queue, @Nullable String key) {
		if (key != null) {
			this.partitions.refresh();
			return this.partitions.ofKey(queue, key);
		}
		int count = this.partitions.configured(queue);
		if (count == 1) {
			return queue;
		}
		return PartitionName.of(queue, this.turns.computeIfAbsent(queue, (name) -> new Turn(count)).next());
	}

	/**
	 * Notes that a request was sent to a partition.
	 */
	void requested(String partition) {
		Turn turn = this.turns.isEmpty() ? null : this.turns.get(PartitionName.queueOf(partition));
		if (turn != null) {
			turn.end(partition);
		}
	}

	/**
	 * Which partition of a queue is next.
	 */
	private static final class Turn {

		private final int partitions;

		private final AtomicInteger index = new AtomicInteger();

		private final AtomicInteger inRow = new AtomicInteger();

		Turn(int partitions) {
			this.partitions = partitions;
		}

		int next() {
			int current = this.index.get();
			if (this.inRow.incrementAndGet() > MOST_IN_A_ROW) {
				advance(current);
				current = this.index.get();
			}
			return current;
		}

		/**
		 * A request with keyed messages ends only the turn of its own partition.
		 */
		void end(String partition) {
			int current = this.index.get();
			if (partition.equals(PartitionName.of(PartitionName.queueOf(partition), current))) {
				advance(current);
			}
		}

		private void advance(int from) {
			if (this.index.compareAndSet(from, (from + 1) % this.partitions)) {
				this.inRow.set(0);
			}
		}

	}

}
