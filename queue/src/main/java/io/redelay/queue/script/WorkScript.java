package io.redelay.queue.script;

import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;

import io.redelay.queue.message.ScriptTime;
import io.redelay.queue.request.LaneStatus;
import io.redelay.queue.wire.ReplyReader;
import io.redelay.queue.wire.Script;
import io.redelay.queue.wire.ScriptRunner;
import io.redelay.queue.wire.ScriptWords;

/**
 * Writes the progress, the logs and the checkpoints of messages of a lane, and renews the
 * lane as {@link RenewLaneScript} does. Safe to repeat.
 *
 * @param scripts the scripts of the client
 * @since 0.1.0
 */
public record WorkScript(QueueScripts scripts) {

	/**
	 * Runs the script.
	 * @param queue the queue
	 * @param request the data to write
	 * @return the reply
	 */
	public CompletableFuture<WorkReply> run(String queue, WorkRequest request) {
		ScriptRunner runner = this.scripts.runner();
		ScriptObservers observers = this.scripts.listeners().observers();
		CompletableFuture<WorkReply> kept = runner.run(
				"Writing what handlers keep of messages of the queue '" + queue + "'", Script.WORK,
				SharedLimitKeys.withHeld(runner, queue, request.limits()).of(Script.WORK), args(request),
				WorkScript::reply);
		ScriptObservers.Call observed = observers.needMoves() ? observers.begin() : null;
		return (observed == null) ? kept : kept.thenApply((reply) -> {
			observed.ended(new ScriptCall.Work(queue, request, reply));
			return reply;
		});
	}

	private static Object[] args(WorkRequest request) {
		List<Object> args = new ArrayList<>(
				List.of(request.lane(), ScriptTime.millis(request.lease()), request.answered()));
		for (WorkRequest.Entry entry : request.entries()) {
			args.addAll(List.of(entry.uid(), entry.claim(), entry.number(), entry.sections()));
		}
		return args.toArray();
	}

	private static WorkReply reply(ReplyReader reply) {
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
