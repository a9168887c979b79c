package io.redelay.queue.script.admin;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;

import io.redelay.queue.message.ScriptTime;
import io.redelay.queue.wire.Script;
import io.redelay.queue.wire.ScriptRunner;

/**
 * The turn to watch queues for trouble, which one instance of a group has as long as its
 * lease lasts, and the troubles that were reported, all in one key. The script does not
 * interpret the troubles.
 *
 * @param runner runs the script
 * @param group the name of the group
 * @since 0.1.0
 */
public record TroubleKey(ScriptRunner runner, String group) {

	/**
	 * Takes the turn, unless another instance has it, or renews its lease and replaces
	 * the troubles.
	 * @param request the instance that takes it, and what it records
	 * @return whether it has the turn
	 */
	public CompletableFuture<Turn> take(Request request) {
		List<Object> args = new ArrayList<>(
				List.of(request.owner(), request.number(), ScriptTime.millis(request.lease())));
		request.troubles().forEach((queue, trouble) -> {
			args.add(queue);
			args.add(trouble);
		});
		return this.runner.runOnKey(Script.WATCH_TROUBLE, "trouble:" + this.group,
				"Taking the turn to watch queues for trouble", (reply) -> {
					Turn.State state = Turn.State.valueOf(reply.text());
					Duration left = (state == Turn.State.OTHER) ? Duration.ofMillis(reply.number()) : Duration.ZERO;
					Map<String, String> kept = new HashMap<>();
					while (reply.hasNext()) {
						kept.put(reply.text(), reply.text());
					}
					return new Turn(state, left, kept);
				}, args.toArray());
	}

	/**
	 * A request of an instance to take the turn.
	 *
	 * @param owner the instance, by another name each time when it does not have the turn
	 * @param number the number of the request, larger than earlier ones
	 * @param lease how long the turn is its own; zero to give it up
	 * @param troubles the troubles by queue, which are recorded if it has the turn
	 */
	public record Request(String owner, long number, Duration lease, Map<String, String> troubles) {

	}

	/**
	 * Whether an instance has the turn.
	 *
	 * @param state whether it does
	 * @param left how long another instance has it, if it is not renewed
	 * @param kept the troubles that are recorded, if it is {@link State#TAKEN}
	 */
	public record Turn(State state, Duration left, Map<String, String> kept) {

		/**
		 * Whether an instance has the turn, and had it before.
		 */
		public enum State {

			/**
			 * It has it and had it before, and the troubles are recorded.
			 */
			OK,

			/**
			 * It has it since now, and the troubles of the request are not recorded. Or
			 * the request was sent twice, for its first answer was lost.
			 */
			TAKEN,

			/**
			 * Another instance has it.
			 */
			OTHER

		}

	}

}
