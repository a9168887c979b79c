package io.redelay.queue.script.admin;

import java.util.List;

/**
 * The state of a queue at one moment: how many messages it has, and what shows why they
 * wait.
 *
 * @param counts how many messages there are
 * @param retrying how many living ones have failed before
 * @param waitingForTurn how many wait for an earlier one of their ordering key
 * @param keysInTurn how many ordering keys have a message that goes first
 * @param inHand the fairness keys that have as many held messages as they may
 * @param rated the fairness keys that have used up their rate
 * @param gated the fairness keys whose gate is closed, as far as a claim has met it
 * @param closedKeys how many fairness keys have a closed gate
 * @param lostTicks how many recurring messages have lost the message of their next tick
 * @param lanes the lanes that live and consume, at most 1,000; each with a lease of zero,
 * which is not asked for
 * @since 0.1.0
 */
public record StoredQueueState(StoredCounts counts, long retrying, long waitingForTurn, long keysInTurn, Blocked inHand,
		Blocked rated, Blocked gated, long closedKeys, long lostTicks, List<StoredLane> lanes) {

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
