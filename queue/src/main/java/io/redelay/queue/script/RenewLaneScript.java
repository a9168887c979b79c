package io.redelay.queue.script;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;

import io.redelay.queue.message.ClaimLimits;
import io.redelay.queue.message.ScriptTime;
import io.redelay.queue.request.LaneStatus;
import io.redelay.queue.wire.Script;
import io.redelay.queue.wire.ScriptRunner;

/**
 * Renews a lane and with it the lease of all it holds; a dead lane stays dead.
 *
 * @param runner runs the script
 * @since 0.1.0
 */
public record RenewLaneScript(ScriptRunner runner) {

	/**
	 * Runs the script.
	 * @param queue the queue
	 * @param lane the lane
	 * @param lease how long it lives from now on
	 * @param answered the number of its last request that was answered
	 * @param limits the limits of its claims: the messages it holds still count
	 * @return whether it is alive and the store remembers its last request, and whether
	 * held messages may have been cancelled
	 */
	public CompletableFuture<Reply> run(String queue, String lane, Duration lease, long answered, ClaimLimits limits) {
		return this.runner.run("Renewing a lane of the queue '" + queue + "'", Script.RENEW_LANE,
				SharedLimitKeys.withHeld(this.runner, queue, limits).of(Script.RENEW_LANE),
				new Object[] { lane, ScriptTime.millis(lease), answered },
				(reply) -> (reply.status() == LaneStatus.OK) ? new Reply(true, reply.flag()) : Reply.LOST);
	}

	/**
	 * The reply to the renewal of a lane.
	 *
	 * @param alive whether the lane is alive and its answered requests are remembered;
	 * otherwise nothing was done
	 * @param someCancelled whether messages that some lane of the queue holds were
	 * cancelled
	 */
	public record Reply(boolean alive, boolean someCancelled) {

		/**
		 * The lane is dead, or the store has forgotten its last requests.
		 */
		public static final Reply LOST = new Reply(false, false);

	}

}
