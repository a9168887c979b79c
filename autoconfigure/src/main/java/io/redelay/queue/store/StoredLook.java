package io.redelay.queue.store;

import java.util.List;

/**
 * What a look at a queue shows: how many messages it has, and what else tells why they
 * wait.
 *
 * @param counts how many messages there are
 * @param retrying how many living ones have failed before
 * @param waitingForTurn how many wait for an earlier one of their ordering key
 * @param keysInTurn how many ordering keys have a message that goes first
 * @param blockedKeys how many fairness keys may not be claimed now
 * @param closedKeys how many fairness keys have a closed gate
 * @param lanes the lanes that live and consume, at most 1,000; each with a lease of zero,
 * which is not asked for
 * @since 0.1.0
 */
public record StoredLook(StoredCounts counts, long retrying, long waitingForTurn, long keysInTurn, long blockedKeys,
		long closedKeys, List<StoredLane> lanes) {

}
