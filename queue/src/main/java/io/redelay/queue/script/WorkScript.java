package io.redelay.queue.script;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;

import io.redelay.queue.message.ClaimLimits;
import io.redelay.queue.message.ScriptTime;
import io.redelay.queue.message.WorkCodec;
import io.redelay.queue.request.LaneStatus;
import io.redelay.queue.wire.ReplyReader;
import io.redelay.queue.wire.Script;
import io.redelay.queue.wire.ScriptRunner;
import io.redelay.queue.wire.ScriptWords;

import org.springframework.util.Assert;

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
	public CompletableFuture<Reply> run(String queue, Request request) {
		ScriptRunner runner = this.scripts.runner();
		ScriptObservers observers = this.scripts.listeners().observers();
		CompletableFuture<Reply> kept = runner.run(
				"Writing what handlers keep of messages of the queue '" + queue + "'", Script.WORK,
				SharedLimitKeys.withHeld(runner, queue, request.limits()).of(Script.WORK), args(request),
				WorkScript::reply);
		ScriptObservers.Call observed = observers.needMoves() ? observers.begin() : null;
		return (observed == null) ? kept : kept.thenApply((reply) -> {
			observed.ended(new ScriptCall.Work(queue, request, reply));
			return reply;
		});
	}

	private static Object[] args(Request request) {
		List<Object> args = new ArrayList<>(
				List.of(request.lane(), ScriptTime.millis(request.lease()), request.answered()));
		for (Request.Entry entry : request.entries()) {
			args.addAll(List.of(entry.uid(), entry.claim(), entry.number(), entry.sections()));
		}
		return args.toArray();
	}

	private static Reply reply(ReplyReader reply) {
		LaneStatus status = reply.status();
		Instant time = (status == LaneStatus.OK) ? reply.time() : Instant.EPOCH;
		Set<String> lost = new HashSet<>();
		Set<String> refused = new HashSet<>();
		while (reply.hasNext()) {
			String uid = reply.text();
			(reply.text().equals(ScriptWords.LOST) ? lost : refused).add(uid);
		}
		return new Reply(status, time, lost, refused);
	}

	/**
	 * A request to write the progress, the logs and the checkpoints of messages of a
	 * lane, and to renew the lane.
	 *
	 * @param lane the lane
	 * @param lease how long it lives from now on
	 * @param answered the number of its last request that was answered
	 * @param limits the limits of its claims: the messages it holds still count
	 * @param entries the entries, at most {@value #MAX_ENTRIES}
	 */
	public record Request(String lane, Duration lease, long answered, ClaimLimits limits, List<Entry> entries) {

		/**
		 * How many entries one request can have.
		 */
		public static final int MAX_ENTRIES = 500;

		public Request {
			Assert.isTrue(entries.size() <= MAX_ENTRIES,
					() -> "'entries' must be at most " + MAX_ENTRIES + ": " + entries.size());
		}

		/**
		 * The progress, log and checkpoint to keep of a message.
		 *
		 * @param uid the message
		 * @param claim the number of the request that claimed it
		 * @param number grows with each entry of the message, so that a repeated entry is
		 * not kept twice
		 * @param sections the data to keep, as {@link WorkCodec#section} makes it, one
		 * section behind the other
		 */
		@SuppressWarnings("ArrayRecordComponent") // the bytes are passed on, never
													// compared
													// or changed
		public record Entry(String uid, long claim, long number, byte[] sections) {

		}

	}

	/**
	 * The reply to a {@link WorkRequest}.
	 *
	 * @param status {@link LaneStatus#OK}, or {@link LaneStatus#GONE} or
	 * {@link LaneStatus#BEHIND}: nothing was kept then
	 * @param time the store's clock; the epoch if nothing was kept
	 * @param lost the messages that the lane does not hold under the claim, of which
	 * nothing was kept
	 * @param refused the messages of which nothing was kept because Redis is full
	 */
	public record Reply(LaneStatus status, Instant time, Set<String> lost, Set<String> refused) {

	}

}
