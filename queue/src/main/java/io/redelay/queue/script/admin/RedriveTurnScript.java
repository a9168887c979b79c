package io.redelay.queue.script.admin;

import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.CompletableFuture;

import io.redelay.queue.message.ScriptTime;
import io.redelay.queue.wire.Script;
import io.redelay.queue.wire.ScriptRunner;
import org.jspecify.annotations.Nullable;

/**
 * The turn to redrive the dead messages of a queue by its rule: one instance has it, as
 * long as its lease lasts.
 *
 * @param runner runs the script
 * @since 0.1.0
 */
public record RedriveTurnScript(ScriptRunner runner) {

	/**
	 * Takes the turn, unless another instance has it, or renews its lease.
	 * @param queue the queue
	 * @param request the instance that takes it, and what it records
	 * @return whether it was taken
	 */
	public CompletableFuture<Turn> take(String queue, Request request) {
		return this.runner.run(Script.REDRIVE_TURN, queue, "Taking the turn to redrive the dead messages of",
				(reply) -> {
					boolean held = reply.text().equals("OK");
					Instant time = reply.time();
					if (!held) {
						return new Turn(false, time, null, null, reply.time());
					}
					Instant next = reply.timeOrNull();
					String before = reply.textOrNull();
					return new Turn(true, time, next, (before != null) ? Long.valueOf(before) : null, null);
				}, request.owner(), ScriptTime.millis(request.lease()), request.number(), request.plan(),
				millis(request.next()), millis(request.stayed()));
	}

	/**
	 * Looks at the turn.
	 * @param queue the queue
	 * @return what is known of it
	 */
	public CompletableFuture<Look> look(String queue) {
		return this.runner.run(Script.REDRIVE_TURN, queue, "Looking at the turn to redrive the dead messages of",
				(reply) -> {
					reply.timeAfterStatus();
					Instant next = reply.timeOrNull();
					boolean held = reply.flag();
					return new Look(held, next, reply.timeOrNull());
				}, "");
	}

	static String millis(@Nullable Instant time) {
		return (time != null) ? Long.toString(time.toEpochMilli()) : "";
	}

	/**
	 * A request of an instance to take the turn.
	 *
	 * @param owner the instance, by a name that was never used before
	 * @param lease how long the turn is its own, zero to give it up
	 * @param number the number of the request, larger than earlier ones of the owner
	 * @param plan the source of the times of the rule: another plan forgets the next time
	 * @param next the next time of the rule, if it is to be kept; {@link Instant#EPOCH}
	 * if there is none
	 * @param stayed when the last of the messages died that stay after their last round,
	 * if that is to be kept
	 */
	public record Request(String owner, Duration lease, long number, String plan, @Nullable Instant next,
			@Nullable Instant stayed) {

	}

	/**
	 * The state of the turn.
	 *
	 * @param held whether an instance has it
	 * @param next the next time of the rule, if it is known
	 * @param stayed when the last of the messages died that stay after their last round,
	 * if there was one
	 */
	public record Look(boolean held, @Nullable Instant next, @Nullable Instant stayed) {

	}

	/**
	 * Whether an instance has the turn.
	 *
	 * @param held whether it does
	 * @param time when, by the clock of the store
	 * @param next the next time of the rule that is kept, if one is
	 * @param before the number of its previous request, if it had the turn then
	 * @param until when the lease of the instance that has the turn is over, if that is
	 * another one
	 */
	public record Turn(boolean held, Instant time, @Nullable Instant next, @Nullable Long before,
			@Nullable Instant until) {

	}

}
