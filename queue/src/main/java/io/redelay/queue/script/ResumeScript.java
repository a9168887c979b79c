package io.redelay.queue.script;

import java.time.Duration;
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

import org.springframework.util.Assert;

/**
 * Takes over the messages that an earlier lane of the same consumer holds, or held before
 * Redis went back in time.
 *
 * @param runner runs the script
 * @since 0.1.0
 */
public record ResumeScript(ScriptRunner runner) {

	/**
	 * Runs the script.
	 * @param queue the queue
	 * @param request the messages to take over
	 * @return what was taken over
	 */
	public CompletableFuture<Reply> run(String queue, Request request) {
		return this.runner.run("Resuming on a new lane of the queue '" + queue + "'", Script.RESUME,
				this.runner.keys(queue).steered(this.runner.keys(queue).sent(request.lane())), args(request),
				ResumeScript::reply);
	}

	private static Object[] args(Request request) {
		List<Object> args = new ArrayList<>(List.of(request.lane(), request.seq(), ScriptTime.millis(request.lease()),
				request.former(), request.wentBack() ? ScriptWords.WENT_BACK : ScriptWords.DIED,
				ScriptWords.flag(request.last())));
		for (Holding holding : request.holdings()) {
			args.addAll(List.of(holding.uid(), holding.claim(), holding.word()));
		}
		return args.toArray();
	}

	private static Reply reply(ReplyReader reply) {
		LaneStatus status = reply.status();
		if (status != LaneStatus.OK) {
			return new Reply(status, 0, Set.of());
		}
		reply.time();
		long givenBack = reply.number();
		return new Reply(status, givenBack, new HashSet<>(reply.texts()));
	}

	/**
	 * A request that a new lane takes over what an earlier lane of the same consumer
	 * holds, or held before Redis went back in time.
	 *
	 * @param lane the new lane
	 * @param seq the number of the request in that lane
	 * @param lease how long the new lane lives from now on
	 * @param former the earlier lane
	 * @param wentBack whether Redis went back in time; otherwise the earlier lane's lease
	 * ran out, and only the messages that no other lane was given since are taken back
	 * @param last whether this is the last request of the resumption; the messages that
	 * the earlier lane still holds are given back then
	 * @param holdings the messages to take over, at most {@value #MAX_HOLDINGS}
	 */
	public record Request(String lane, long seq, Duration lease, String former, boolean wentBack, boolean last,
			List<Holding> holdings) {

		/**
		 * How many messages one request can take over.
		 */
		public static final int MAX_HOLDINGS = 500;

		public Request {
			Assert.isTrue(holdings.size() <= MAX_HOLDINGS,
					() -> "'holdings' must be at most " + MAX_HOLDINGS + ": " + holdings.size());
		}

	}

	/**
	 * A message that the consumer has, or has settled.
	 *
	 * @param uid the message
	 * @param claim the number of the request that claimed it
	 * @param done whether it was acknowledged
	 * @param completes whether the acknowledgement has a completion. It is then repeated
	 * even if the store does not know the message any more
	 * @param comesBack whether it is given back then, without being handled
	 */
	public record Holding(String uid, long claim, boolean done, boolean completes, boolean comesBack) {

		/**
		 * Creates a holding whose acknowledgement has no completion.
		 * @param uid the message
		 * @param claim the number of the request that claimed it
		 * @param done whether it was acknowledged
		 */
		public Holding(String uid, long claim, boolean done) {
			this(uid, claim, done, false, false);
		}

		private String word() {
			if (!this.done) {
				return this.comesBack ? ScriptWords.COMES_BACK : ScriptWords.HELD;
			}
			return this.completes ? ScriptWords.DONE_WITH_MORE : ScriptWords.DONE;
		}

	}

	/**
	 * The result of a takeover from an earlier lane.
	 *
	 * @param status whether the request was carried out
	 * @param givenBack how many messages are delivered again: messages that the earlier
	 * lane held and the request did not name, and messages of the request that another
	 * lane holds
	 * @param refused the uids of the messages that were not taken over: another lane
	 * holds them, or they are gone
	 */
	public record Reply(LaneStatus status, long givenBack, Set<String> refused) {
	}

}
