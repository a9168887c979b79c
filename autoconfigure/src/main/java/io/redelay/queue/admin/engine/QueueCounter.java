package io.redelay.queue.admin.engine;

import java.time.Duration;
import java.time.Instant;

import io.redelay.queue.admin.QueueInfo;
import io.redelay.queue.store.QueueAdminStore;
import io.redelay.queue.store.StoredCounts;

/**
 * Counts the messages of a queue, after those have expired whose time to live is over.
 */
final class QueueCounter {

	private final QueueAdminStore store;

	private final ExpiredMessages expired;

	QueueCounter(QueueAdminStore store, ExpiredMessages expired) {
		this.store = store;
		this.expired = expired;
	}

	StoredCounts count(String queue) {
		StoredCounts counts = StoreCalls.await(this.store.count(queue));
		if (counts.overdue() == 0) {
			return counts;
		}
		StoreCalls.await(this.expired.expire(queue));
		return StoreCalls.await(this.store.count(queue));
	}

	QueueInfo info(String queue) {
		StoredCounts counts = count(queue);
		Instant due = counts.oldestDue();
		Duration age = (due != null && due.isBefore(counts.time())) ? Duration.between(due, counts.time())
				: Duration.ZERO;
		return new QueueInfo(queue, counts.scheduled(), counts.ready(), counts.inFlight(), counts.dead(),
				counts.nextDue(), age, counts.paused(), counts.closed());
	}

}
