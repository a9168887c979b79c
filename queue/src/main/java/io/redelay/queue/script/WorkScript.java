package io.redelay.queue.script;

import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;

import io.redelay.queue.message.ScriptTime;
import io.redelay.queue.request.LaneStatus;
import io.redelay.queue.wire.QueueKeys;
import io.redelay.queue.wire.Reply;
import io.redelay.queue.wire.Script;
import io.redelay.queue.wire.ScriptRunner;
import io.redelay.queue.wire.ScriptWords;

/**
 * Writes the progress, the logs and the checkpoints of messages of a lane, and renews the
 * lane as {@link RenewLaneScript} does. Safe to repeat.
 *
 * @since 0.1.0
 */
public final class WorkScript {

	private final ScriptRunner runner;

	private final ScriptObservers observers;

	WorkScript(ScriptRunner runner, ScriptObservers observers) {
		this.runner = runner;
		this.observers = observers;
	}

	/**
	 * Runs the script.
	 * @param queue the queue
	 * @param request the data to write
	 * @return the reply
	 */
	public CompletableFuture<WorkReply> run(String queue, WorkRequest request) {
		CompletableFuture<WorkReply> kept = this.runner.run(
				"Writing what handlers keep of messages of the queue '" + queue + "'", Script.WORK,
				keys(queue, request), args(request), WorkScript::reply);
		ScriptObservers.Call observed = this.observers.needMoves() ? this.observers.begin() : null;
		return (observed == null) ? kept : kept.thenApply((reply) -> {
			observed.ended(new ScriptCall.Work(queue, request, reply));
			return reply;
		});
	}

	private List<Object> keys(String queue, WorkRequest request) {
		QueueKeys keys = this.runner.keys(queue);
		List<Object> names = new ArrayList<>(
				List.of(keys.held(), keys.lanes(), keys.messages(), keys.tries(), keys.meta(), keys.work()));
		SharedLimitKeys.addHeld(names, this.runner, request.limits());
		return names;
	}

	private static Object[] args(WorkRequest request) {
		List<Object> args = new ArrayList<>(
				List.of(request.lane(), ScriptTime.millis(request.lease()), Long.toString(request.answered())));
		for (WorkRequest.Entry entry : request.entries()) {
			args.addAll(List.of(entry.uid(), Long.toString(entry.claim()), Long.toString(entry.number()),
					entry.sections()));
		}
		return args.toArray();
	}

	private static WorkReply reply(Reply reply) {
		LaneStatus status = reply.status();
		Instant time = (status == LaneStatus.OK) ? reply.time() : Instant.EPOCH;
		Set<String> lost = new HashSet<>();
		Set<String> refused = new HashSet<>();
		while (reply.hasNext()) {
			String uid = reply.text();
			(reply.text().equals(ScriptWords.LOST) ? lost : refused).add(uid);
		}
		return new WorkReply(status, time, lost, refused);
	}

}
