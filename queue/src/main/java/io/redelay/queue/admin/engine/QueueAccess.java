package io.redelay.queue.admin.engine;

import java.util.List;

import io.redelay.queue.admin.engine.access.ExistingQueues;
import io.redelay.queue.admin.engine.access.KnownPartitions;

/**
 * What each look at a queue begins with: that it exists, its partitions, and that expired
 * messages do not count.
 *
 * @param known which queues there are
 * @param partitions their partitions
 * @param counter counts messages and expires them
 */
record QueueAccess(ExistingQueues known, KnownPartitions partitions, QueueCounter counter) {

	void check(String queue) {
		this.known.check(queue);
	}

	List<String> partitions(String queue) {
		return this.partitions.of(queue);
	}

	/**
	 * Expires the messages of a queue whose time to live is over.
	 * @return the partitions of the queue
	 */
	List<String> expire(String queue) {
		return this.counter.expire(this.partitions.of(queue));
	}

}
