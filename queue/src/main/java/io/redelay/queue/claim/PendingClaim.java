package io.redelay.queue.claim;

import java.util.List;

import io.redelay.queue.message.Settlement;
import io.redelay.queue.script.ClaimReply;
import org.jspecify.annotations.Nullable;

/**
 * A request of a loop that is on its way.
 *
 * @param wanted how many messages it claims at most, for which room is reserved
 * @param suspect the permission to claim a suspect, if it may
 * @param settlements the settlements that it sends
 * @param sentNanos when it was sent
 */
record PendingClaim(int wanted, SuspectAdmission.@Nullable Ticket suspect, List<Settlement> settlements,
		long sentNanos) {

	/**
	 * Completes the settlements' waiting calls: reports whether each acknowledgement
	 * counted.
	 */
	void complete(ClaimReply reply) {
		this.settlements.forEach((settlement) -> settlement.complete(!reply.refused().contains(settlement.uid())));
	}

	boolean buries() {
		for (Settlement settlement : this.settlements) {
			if (settlement.action() == Settlement.Action.BURY) {
				return true;
			}
		}
		return false;
	}

}
