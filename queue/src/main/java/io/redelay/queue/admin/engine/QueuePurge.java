package io.redelay.queue.admin.engine;

import io.redelay.queue.MessageState;
import io.redelay.queue.QueueException;
import io.redelay.queue.admin.engine.access.StoreCalls;
import io.redelay.queue.store.LaneStatus;
import io.redelay.queue.store.PurgeReply;
import io.redelay.queue.store.QueueAdminStore;
import io.redelay.queue.store.StoredCounts;

/**
 * Removes the messages of a queue that are in one state, step by step. The number of
 * steps is bounded by what the queue had at the start, so that a purge ends although
 * messages are sent meanwhile.
 */
final class QueuePurge {

	private static final int STEP = 1000;

	private final QueueAdminStore store;

	QueuePurge(QueueAdminStore store) {
		this.store = store;
	}

	long purge(String queue, MessageState state) {
		StoredCounts counts = StoreCalls.await(this.store.count(queue));
		long most = counts.scheduled() + counts.ready() + counts.dead() + counts.completed() + STEP;
		String lane = StoreCalls.await(this.store.openLane(queue));
		long removed = 0;
		PurgeReply reply;
		long seq = 0;
		do {
			reply = StoreCalls.await(this.store.purge(queue, lane, ++seq, state, STEP));
			if (reply.status() != LaneStatus.OK) {
				throw new QueueException("The purge of the queue '" + queue + "' ended after " + removed + " messages: "
						+ reply.status());
			}
			removed += reply.removed();
		}
		while (reply.hasNext() && removed < most);
		return removed;
	}

}
