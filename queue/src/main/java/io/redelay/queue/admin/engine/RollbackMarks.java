package io.redelay.queue.admin.engine;

import io.redelay.queue.admin.HistoryMark;
import io.redelay.queue.admin.engine.access.QueueMarks;
import io.redelay.queue.event.RedisRolledBackEvent;

import org.springframework.context.event.EventListener;

/**
 * Notes in the history of a queue that Redis went back in time. All lanes of all
 * instances find that out, each for itself: within a minute of the clock of Redis it is
 * noted once.
 *
 * @since 0.1.0
 */
public final class RollbackMarks {

	private final QueueMarks marks;

	/**
	 * Creates it.
	 * @param marks the marks of the server that the queues are on
	 */
	public RollbackMarks(QueueMarks marks) {
		this.marks = marks;
	}

	/**
	 * Notes it.
	 * @param event what was found out
	 */
	@EventListener
	public void onRollback(RedisRolledBackEvent event) {
		this.marks.note(event.queue(), HistoryMark.Kind.REDIS_WENT_BACK, "");
	}

}
