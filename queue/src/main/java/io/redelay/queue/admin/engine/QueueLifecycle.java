package io.redelay.queue.admin.engine;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;

import io.redelay.queue.MessageState;
import io.redelay.queue.QueueException;
import io.redelay.queue.admin.HistoryMark;
import io.redelay.queue.admin.QueueControl;
import io.redelay.queue.admin.QueueInfo;
import io.redelay.queue.admin.engine.access.CommandSender;
import io.redelay.queue.admin.engine.access.QueueMarks;
import io.redelay.queue.admin.engine.access.StoreCalls;
import io.redelay.queue.event.QueueEvent;
import io.redelay.queue.limits.DueTime;
import io.redelay.queue.limits.GroupName;
import io.redelay.queue.request.LaneStatus;
import io.redelay.queue.script.admin.AdminScripts;
import io.redelay.queue.script.admin.CountScript;
import io.redelay.queue.script.admin.DeleteScript;
import io.redelay.queue.script.admin.PurgeScript;

import org.springframework.util.Assert;

/**
 * Acts on whole queues: pauses, closes, drains, empties and deletes them.
 */
record QueueLifecycle(AdminScripts store, QueueAccess queues, CommandSender commands,
		QueueMarks marks) implements QueueControl {

	/**
	 * How many recurring messages a refusal names.
	 */
	private static final int MOST_NAMES = 5;

	private static final int PURGED_AT_A_TIME = 1000;

	@Override
	public long purge(String queue, MessageState state) {
		this.queues.check(queue);
		Assert.isTrue(state != MessageState.IN_FLIGHT && state != MessageState.UNKNOWN,
				() -> "'state' must be SCHEDULED, READY, DEAD or COMPLETED: " + state
						+ ((state == MessageState.IN_FLIGHT) ? "; cancel those that are in flight" : ""));
		long removed = this.queues.partitions(queue)
			.stream()
			.mapToLong((partition) -> purgePartition(partition, state))
			.sum();
		if (removed > 0) {
			this.store.observers().changed(QueueEvent.Type.PURGED, queue, Instant.now(), removed, state.name());
		}
		return removed;
	}

	/**
	 * Purges step by step. The number of steps is bounded by what the queue had at the
	 * start, so that a purge ends although messages are sent meanwhile.
	 */
	private long purgePartition(String queue, MessageState state) {
		CountScript.Messages counts = StoreCalls.await(this.store.count().run(queue)).messages();
		long most = counts.scheduled() + counts.ready() + counts.dead() + counts.completed() + PURGED_AT_A_TIME;
		String lane = StoreCalls.await(this.store.steer().openLane(queue));
		long removed = 0;
		PurgeScript.Result reply;
		long seq = 0;
		do {
			reply = StoreCalls.await(new PurgeScript(this.store).run(queue, lane, ++seq, state, PURGED_AT_A_TIME));
			if (reply.status() != LaneStatus.OK) {
				throw new QueueException("The purge of the queue '" + queue + "' ended after " + removed + " messages: "
						+ reply.status());
			}
			removed += reply.removed();
		}
		while (reply.hasNext() && removed < most);
		return removed;
	}

	@Override
	public void pause(String queue) {
		setFlag(queue, "paused", true);
		this.marks.note(queue, HistoryMark.Kind.PAUSED, "");
	}

	@Override
	public void resume(String queue) {
		setFlag(queue, "paused", false);
		this.marks.note(queue, HistoryMark.Kind.RESUMED, "");
	}

	@Override
	public void close(String queue) {
		setFlag(queue, "closed", true);
		this.marks.note(queue, HistoryMark.Kind.CLOSED, "");
	}

	@Override
	public void reopen(String queue) {
		setFlag(queue, "closed", false);
		this.marks.note(queue, HistoryMark.Kind.REOPENED, "");
	}

	/**
	 * Sets a flag of all partitions, the first one first: partitions that are added
	 * meanwhile copy it from there.
	 */
	private void setFlag(String queue, String flag, boolean set) {
		this.queues.check(queue);
		this.queues.partitions(queue).forEach((partition) -> this.commands.setFlag(partition, flag, set));
		if (set) { // its name may have been forgotten since the look-up
			StoreCalls.await(this.store.names().register(queue));
		}
	}

	@Override
	public boolean freeDeduplicationKey(String queue, String key) {
		this.queues.check(queue);
		DeduplicationKeys.check(key);
		boolean freed = false;
		for (String partition : this.queues.partitions(queue)) {
			freed |= this.commands.freeKey(partition, key);
		}
		return freed;
	}

	@Override
	public QueueInfo drain(String queue, Duration limit) {
		Assert.isTrue(DueTime.isPossible(limit), () -> "'limit' must be 0 to 3650 days: " + limit);
		close(queue);
		QueueInfo left = new QueueDrain(this.queues.counter()).await(queue, this.queues.partitions(queue), limit);
		if (left.scheduled() + left.ready() + left.inFlight() == 0) {
			this.queues.partitions().settle(queue, left.dead() > 0);
		}
		return left;
	}

	@Override
	public void delete(String queue) {
		this.queues.check(queue);
		refuseGroup(queue);
		refuseRecurring(queue);
		List<String> all = this.queues.partitions(queue);
		if (!all.stream().allMatch((partition) -> StoreCalls.await(new DeleteScript(this.store).isEmpty(partition)))
				|| !all.stream()
					.allMatch((partition) -> StoreCalls.await(new DeleteScript(this.store).run(partition, false)))) {
			throw new QueueException("The queue '" + queue
					+ "' has messages and is not deleted: drain or purge it first, or call deleteWithMessages");
		}
		deleted(queue);
	}

	@Override
	public void deleteWithMessages(String queue) {
		this.queues.check(queue);
		refuseGroup(queue);
		this.queues.partitions(queue)
			.forEach((partition) -> StoreCalls.await(new DeleteScript(this.store).run(partition, true)));
		deleted(queue);
	}

	private void deleted(String queue) {
		this.queues.partitions().forget(queue);
		this.queues.known().forget(queue);
		this.store.observers().changed(QueueEvent.Type.DELETED, queue, Instant.now(), 0, null);
	}

	/**
	 * Refuses a queue with recurring messages; a paused one has no message, and would go
	 * unnoticed.
	 */
	private void refuseRecurring(String queue) {
		Set<String> names = new TreeSet<>(StoreCalls.await(new DeleteScript(this.store).recurring(queue)));
		if (!names.isEmpty()) {
			String some = names.stream()
				.limit(MOST_NAMES)
				.map((name) -> "'" + name + "'")
				.collect(Collectors.joining(", "));
			throw new QueueException("The queue '" + queue + "' has " + names.size()
					+ " recurring message(s) and is not" + " deleted: " + some
					+ ((names.size() > MOST_NAMES) ? ", …" : "") + ". Remove what declares them,"
					+ " and call RecurringMessages.remove; or call deleteWithMessages, which removes them, until an"
					+ " application that declares one declares it again");
		}
	}

	/**
	 * Refuses the queue of a group: publishing to its topic needs the queue while the
	 * group is registered.
	 */
	private static void refuseGroup(String queue) {
		if (GroupName.isGroup(queue)) {
			throw new QueueException("The queue '" + queue + "' belongs to a group of a topic and is not deleted: call"
					+ " removeGroup(\"" + GroupName.topicOf(queue) + "\", \"" + GroupName.groupOf(queue) + "\")");
		}
	}

}
