package io.redelay.queue.script.admin;

import java.time.Instant;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;

import io.redelay.queue.MessageState;
import io.redelay.queue.request.LaneStatus;
import io.redelay.queue.request.SenderMemory;
import io.redelay.queue.script.ScriptCall;
import io.redelay.queue.script.ScriptObservers;
import io.redelay.queue.wire.QueueKeys;
import io.redelay.queue.wire.Script;
import io.redelay.queue.wire.ScriptWords;

/**
 * Removes the messages in a state.
 *
 * @param admin the scripts of the server
 * @since 0.1.0
 */
public record PurgeScript(AdminScripts admin) {

	/**
	 * How many chunks of packed messages are brought near in one step.
	 */
	private static final int CHUNKS = 10;

	/**
	 * Removes messages, one step.
	 * @param lane a lane that {@link SteerScript#openLane} has opened
	 * @param seq the number of the request in that lane, from 1
	 * @param state their state; messages in flight cannot be removed
	 * @param most how many at most, up to 1,000
	 */
	public CompletableFuture<Result> run(String queue, String lane, long seq, MessageState state, int most) {
		AtomicBoolean packed = new AtomicBoolean();
		ScriptObservers observers = this.admin.observers();
		ScriptObservers.Call observed = observers.begin();
		QueueKeys keys = this.admin.runner().keys(queue);
		CompletableFuture<Result> purging = this.admin.runner()
			.run("Purging the queue '" + queue + "'", Script.PURGE, keys.steered(keys.sent(lane)),
					new Object[] { seq, SenderMemory.MILLIS, state.name(), most, this.admin.wakePrefix(),
							ScriptWords.flag(observers.needMoves()) },
					(reply) -> {
						LaneStatus status = reply.status();
						if (status != LaneStatus.OK) {
							return new Result(status, 0, false);
						}
						Instant time = reply.time();
						int removed = (int) reply.number();
						String left = reply.text();
						if (observed != null) {
							observed.ended(new ScriptCall.Removal(queue, "Purged", reply.texts(), time,
									left.equals(ScriptWords.EMPTIED)));
						}
						packed.set(left.equals(ScriptWords.PACKED));
						return new Result(status, removed, left.equals(ScriptWords.YES));
					})
			.thenCompose(
					(purged) -> packed.get() ? bringNear(queue, purged) : CompletableFuture.completedFuture(purged));
		if (state != MessageState.SCHEDULED && state != MessageState.READY) {
			return purging;
		}
		return purging.whenComplete((purged, failure) -> {
			if (failure != null) {
				this.admin.restoreTicksSoon(queue);
			}
		})
			.thenCompose((purged) -> purged.hasNext() ? CompletableFuture.completedFuture(purged)
					: this.admin.restoreTicks(queue).thenApply((looked) -> purged));
	}

	/**
	 * Brings some packed messages near, for the next step.
	 */
	private CompletableFuture<Result> bringNear(String queue, Result purged) {
		return this.admin.far()
			.thawFirst(queue, CHUNKS)
			.thenApply((some) -> new Result(purged.status(), purged.removed(), some));
	}

	/**
	 * The reply to a step of a purge.
	 *
	 * @param status whether the request was carried out
	 * @param removed how many messages were removed
	 * @param hasNext whether there may be more
	 */
	public record Result(LaneStatus status, int removed, boolean hasNext) {

	}

}
