package io.redelay.queue.script.admin;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.CompletableFuture;

import io.redelay.queue.message.ScriptTime;
import io.redelay.queue.request.LaneStatus;
import io.redelay.queue.request.SenderMemory;
import io.redelay.queue.script.ScriptCall;
import io.redelay.queue.script.ScriptObservers;
import io.redelay.queue.wire.QueueKeys;
import io.redelay.queue.wire.Script;

/**
 * Removes the oldest dead messages, those beyond a number, an age or a size.
 *
 * @param admin the scripts of the server
 * @since 0.1.0
 */
public record TrimDeadScript(AdminScripts admin) {

	/**
	 * Removes the oldest dead messages, one step.
	 * @param lane a lane that {@link SteerScript#openLane} has opened
	 * @param seq the number of the request in that lane, from 1
	 * @param maxCount how many may stay
	 * @param maxAge how old they may be
	 * @param maxBytes how large they may be together, {@link Long#MAX_VALUE} for any size
	 */
	public CompletableFuture<Result> run(String queue, String lane, long seq, long maxCount, Duration maxAge,
			long maxBytes) {
		QueueKeys keys = this.admin.runner().keys(queue);
		return this.admin.runner()
			.run("Trimming the dead messages of the queue '" + queue + "'", Script.TRIM_DEAD,
					keys.steered(keys.sent(lane)),
					new Object[] { seq, SenderMemory.MILLIS, maxCount, ScriptTime.millis(maxAge),
							this.admin.wakePrefix(), (maxBytes != Long.MAX_VALUE) ? maxBytes : "" },
					(reply) -> {
						LaneStatus status = reply.status();
						if (status != LaneStatus.OK) {
							return new Result(status, List.of(), false);
						}
						Instant time = reply.time();
						boolean hasNext = reply.flag();
						List<String> trimmed = reply.texts();
						ScriptObservers.Call observed = this.admin.observers().begin();
						if (observed != null) {
							observed.ended(new ScriptCall.Removal(queue, "Beyond the bounds of the dead messages",
									trimmed, time, false));
						}
						return new Result(status, trimmed, hasNext);
					});
	}

	/**
	 * The reply to a step of trimming the dead messages.
	 *
	 * @param status whether the request was carried out
	 * @param trimmed the uids of the removed messages
	 * @param hasNext whether there may be more to remove
	 */
	public record Result(LaneStatus status, List<String> trimmed, boolean hasNext) {

	}

}
