package io.redelay.queue.admin.engine;

import io.redelay.queue.MessageState;
import io.redelay.queue.QueueException;
import io.redelay.queue.admin.engine.access.StoreCalls;
import io.redelay.queue.request.LaneStatus;
import io.redelay.queue.script.admin.AdminScripts;
import io.redelay.queue.script.admin.CountScript;
import io.redelay.queue.script.admin.PurgeScript;
import io.redelay.queue.script.admin.SteerScript;

/**
 * Removes the messages of a queue that are in one state, step by step. The number of
 * steps is bounded by what the queue had at the start, so that a purge ends although
 * messages are sent meanwhile.
 */
final class QueuePurge {

	private static final int STEP = 1000;

	private final CountScript count;

	private final PurgeScript purge;

	private final SteerScript steer;

	QueuePurge(AdminScripts scripts) {
		this.count = scripts.count();
		this.purge = new PurgeScript(scripts);
		this.steer = scripts.steer();
	}

	long purge(String queue, MessageState state) {
		CountScript.Counts counts = StoreCalls.await(this.count.run(queue));
		long most = counts.scheduled() + counts.ready() + counts.dead() + counts.completed() + STEP;
		String lane = StoreCalls.await(this.steer.openLane(queue));
		long removed = 0;
		PurgeScript.Result reply;
		long seq = 0;
		do {
			reply = StoreCalls.await(this.purge.run(queue, lane, ++seq, state, STEP));
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
