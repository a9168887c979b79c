package io.redelay.queue.script.admin;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;

import io.redelay.queue.wire.QueueKeys;
import io.redelay.queue.wire.Reply;
import io.redelay.queue.wire.Script;
import io.redelay.queue.wire.ScriptRunner;

/**
 * Counts the messages of a queue, and reads the state that shows why they wait.
 *
 * @since 0.1.0
 */
public final class LookScript {

	private final ScriptRunner runner;

	LookScript(ScriptRunner runner) {
		this.runner = runner;
	}

	public CompletableFuture<State> run(String queue) {
		QueueKeys keys = this.runner.keys(queue);
		return this.runner.run("Looking why the messages of the queue '" + queue + "' wait", Script.LOOK,
				keys.of(Script.LOOK), new Object[0], (reply) -> {
					CountScript.Counts counts = CountScript.counts(reply);
					long retrying = reply.number();
					long waitingForTurn = reply.number();
					long keysInTurn = reply.number();
					State.Blocked inHand = blocked(reply);
					State.Blocked rated = blocked(reply);
					State.Blocked gated = blocked(reply);
					long closedKeys = reply.number();
					long lostTicks = reply.number();
					List<LanesScript.Lane> lanes = new ArrayList<>();
					while (reply.hasNext()) {
						lanes.add(new LanesScript.Lane(reply.text(), Duration.ZERO, reply.number()));
					}
					return new State(counts, retrying, waitingForTurn, keysInTurn, inHand, rated, gated, closedKeys,
							lostTicks, lanes);
				});
	}

	private static State.Blocked blocked(Reply reply) {
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
