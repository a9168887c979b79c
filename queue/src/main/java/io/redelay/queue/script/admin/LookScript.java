package io.redelay.queue.script.admin;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;

import io.redelay.queue.wire.ReplyReader;
import io.redelay.queue.wire.Script;
import io.redelay.queue.wire.ScriptRunner;

/**
 * Counts the messages of a queue, and reads the state that shows why they wait.
 *
 * @param runner runs the script
 * @since 0.1.0
 */
public record LookScript(ScriptRunner runner) {

	public CompletableFuture<State> run(String queue) {
		return this.runner.run("Looking why the messages of the queue '" + queue + "' wait", Script.LOOK,
				this.runner.keys(queue).of(Script.LOOK), new Object[0], (reply) -> {
					CountScript.Counts counts = CountScript.counts(reply);
					long retrying = reply.number();
					long waitingForTurn = reply.number();
					long keysInTurn = reply.number();
					State.Blocked inHand = blocked(reply);
					State.Blocked rated = blocked(reply);
					State.Blocked gated = blocked(reply);
					long closedKeys = reply.number();
					long lostTicks = reply.number();
					return new State(counts, retrying, waitingForTurn, keysInTurn, inHand, rated, gated, closedKeys,
							lostTicks,
							reply.list((each) -> new LanesScript.Lane(each.text(), Duration.ZERO, each.number())));
				});
	}

	private static State.Blocked blocked(ReplyReader reply) {
		return new State.Blocked(reply.number(), reply.number());
	}

	/**
	 * The state of a queue at one moment: how many messages it has, and what shows why
	 * they wait.
	 *
	 * @param counts how many messages there are
	 * @param retrying how many living ones have failed before
	 * @param waitingForTurn how many wait for an earlier one of their ordering key
	 * @param keysInTurn how many ordering keys have a message that goes first
	 * @param inHand the fairness keys that have as many held messages as they may
	 * @param rated the fairness keys that have used up their rate
	 * @param gated the fairness keys whose gate is closed, as far as a claim has met it
	 * @param closedKeys how many fairness keys have a closed gate
	 * @param lostTicks how many recurring messages have lost the message of their next
	 * tick
	 * @param lanes the lanes that live and consume, at most 1,000; each with a lease of
	 * zero, which is not asked for
	 */
	public record State(CountScript.Counts counts, long retrying, long waitingForTurn, long keysInTurn, Blocked inHand,
			Blocked rated, Blocked gated, long closedKeys, long lostTicks, List<LanesScript.Lane> lanes) {

		/**
		 * Fairness keys that may not be claimed now.
		 *
		 * @param keys how many keys; a key counts once for each priority of its messages
		 * @param messages how many messages of theirs wait
		 */
		public record Blocked(long keys, long messages) {

			/**
			 * None.
			 */
			public static final Blocked NONE = new Blocked(0, 0);

			/**
			 * Adds those of another partition.
			 * @param other the others
			 * @return the sums
			 */
			public Blocked plus(Blocked other) {
				return new Blocked(this.keys + other.keys, this.messages + other.messages);
			}

		}

	}

}
