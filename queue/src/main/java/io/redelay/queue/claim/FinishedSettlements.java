package io.redelay.queue.claim;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.UnaryOperator;

import io.redelay.queue.message.Completion;
import io.redelay.queue.message.Settlement;
import io.redelay.queue.script.ClaimRequest;

/**
 * The settlements that wait for the next request of a loop. Guarded by the loop's lock.
 */
final class FinishedSettlements {

	/**
	 * The most bytes of all completions in one request, unless a single completion is
	 * larger.
	 */
	private static final long MAX_BYTES = 4_000_000;

	private List<Settlement> waiting = new ArrayList<>();

	boolean isEmpty() {
		return this.waiting.isEmpty();
	}

	void add(Settlement settlement) {
		this.waiting.add(settlement);
	}

	/**
	 * Adds the settlement of a message whose lane is gone: only an acknowledgement still
	 * counts.
	 */
	void addLate(Settlement settlement) {
		if (settlement.isAcknowledgment()) {
			this.waiting.add(settlement.late());
		}
	}

	/**
	 * Adds the settlement of a message that is given back. It replaces the giving back if
	 * that is not sent yet; else only an acknowledgement is added, which counts if no
	 * lane holds the message.
	 */
	void addAfterGivingBack(Settlement settlement) {
		boolean unsent = this.waiting.removeIf((each) -> each.uid().equals(settlement.uid()));
		if (unsent || settlement.isAcknowledgment()) {
			this.waiting.add(settlement);
		}
	}

	/**
	 * Replaces the waiting settlements.
	 */
	void replace(UnaryOperator<List<Settlement>> replacement) {
		this.waiting = new ArrayList<>(replacement.apply(this.waiting));
	}

	/**
	 * Takes as many as one request can settle. The completions of acknowledgements may be
	 * large.
	 */
	List<Settlement> take() {
		List<Settlement> taken = this.waiting;
		int count = count(taken);
		if (count == taken.size()) {
			this.waiting = new ArrayList<>();
			return taken;
		}
		this.waiting = new ArrayList<>(taken.subList(count, taken.size()));
		return new ArrayList<>(taken.subList(0, count));
	}

	private static int count(List<Settlement> settlements) {
		int most = Math.min(settlements.size(), ClaimRequest.MAX_SETTLEMENTS);
		long bytes = 0;
		for (int i = 0; i < most; i++) {
			Completion completion = settlements.get(i).completion();
			bytes += (completion != null) ? completion.bytes() : 0;
			if (bytes > MAX_BYTES && i > 0) {
				return i;
			}
		}
		return most;
	}

	/**
	 * Puts settlements back that did not take effect, in front of the waiting ones.
	 */
	void putBack(List<Settlement> settlements) {
		this.waiting.addAll(0, settlements);
	}

	/**
	 * Returns the waiting settlements.
	 */
	List<Settlement> waiting() {
		return this.waiting;
	}

	/**
	 * Replaces the waiting settlements by those that another lane can send.
	 * @param settlements the settlements that were made, or were to be made, on the lane
	 * before
	 * @param claims the claims whose messages the other lane has taken over, by uid
	 * @param refused the uids of messages that it has not taken over
	 */
	void resume(List<Settlement> settlements, Map<String, Long> claims, Set<String> refused) {
		List<Settlement> all = new ArrayList<>(settlements);
		all.addAll(this.waiting);
		this.waiting = new ArrayList<>(all.size());
		for (Settlement settlement : all) {
			Long claim = claims.get(settlement.uid());
			if (refused.contains(settlement.uid())) {
				addLate(settlement);
			}
			else if (claim == null || claim == settlement.claim() || settlement.claim() == Settlement.LATE) {
				this.waiting.add(settlement);
			}
			else {
				settlement.complete(false);
			}
		}
	}

	/**
	 * Drops all waiting settlements, because the queue was deleted.
	 */
	void clear() {
		this.waiting.forEach((settlement) -> settlement.complete(false));
		this.waiting.clear();
	}

}
