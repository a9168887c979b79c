package io.redelay.queue.script.admin;

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
					Waiting waiting = new Waiting(reply.number(), reply.number(), reply.number(), blocked(reply),
							blocked(reply), blocked(reply), reply.number(), reply.number());
					return new State(counts, waiting, reply.list((each) -> LanesScript.lane(each, counts.time())));
				});
	}

	private static Blocked blocked(ReplyReader reply) {
		return new Blocked(reply.number(), reply.number());
	}

	/**
	 * The state of a queue at one moment: how many messages it has, and what shows why
	 * they wait.
	 *
	 * @param counts how many messages there are
	 * @param waiting what shows why they wait
	 * @param lanes the lanes that live and consume, at most 1,000
	 */
	public record State(CountScript.Counts counts, Waiting waiting, List<LanesScript.Lane> lanes) {

	}

	/**
	 * What shows why messages wait.
	 *
	 * @param retrying how many living ones have failed before
	 * @param forTurn how many wait for an earlier one of their ordering key
	 * @param keysInTurn how many ordering keys have a message that goes first
	 * @param keysInHand the fairness keys that have as many held messages as they may
	 * @param keysRated the fairness keys that have used up their rate
	 * @param keysGated the fairness keys whose gate is closed, as far as a claim has met
	 * it
	 * @param closedKeys how many fairness keys have a closed gate
	 * @param lostTicks how many recurring messages have lost the message of their next
	 * tick
	 */
	public record Waiting(long retrying, long forTurn, long keysInTurn, Blocked keysInHand, Blocked keysRated,
			Blocked keysGated, long closedKeys, long lostTicks) {

		/**
		 * Adds that of another partition.
		 * @param other the other one
		 * @return the sums
		 */
		public Waiting plus(Waiting other) {
			return new Waiting(this.retrying + other.retrying, this.forTurn + other.forTurn,
					this.keysInTurn + other.keysInTurn, this.keysInHand.plus(other.keysInHand),
					this.keysRated.plus(other.keysRated), this.keysGated.plus(other.keysGated),
					this.closedKeys + other.closedKeys, this.lostTicks + other.lostTicks);
		}

	}

	/**
	 * Fairness keys that may not be claimed now.
	 *
	 * @param keys how many keys; a key counts once for each priority of its messages
	 * @param messages how many messages of theirs wait
	 */
	public record Blocked(long keys, long messages) {

		private Blocked plus(Blocked other) {
			return new Blocked(this.keys + other.keys, this.messages + other.messages);
		}

	}

}
