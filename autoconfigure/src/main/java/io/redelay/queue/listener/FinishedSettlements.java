package io.redelay.queue.listener;

import java.util.ArrayList;
import java.util.List;

import io.redelay.queue.store.ClaimRequest;
import io.redelay.queue.store.Settlement;

/**
 * The settlements that wait for the next request of a loop. Guarded by the loop's lock.
 */
final class FinishedSettlements {

	private List<Settlement> waiting = new ArrayList<>();

	boolean isEmpty() {
		return this.waiting.isEmpty();
	}

	void add(Settlement settlement) {
		this.waiting.add(settlement);
	}

	/**
	 * Adds what can still be said of a message whose lane is gone: that it is done.
	 */
	void addLate(Settlement settlement) {
		if (settlement.action() == Settlement.Action.ACK) {
			this.waiting.add(Settlement.ack(settlement.uid(), Settlement.LATE));
		}
	}

	/**
	 * Adds what is said of a message that is given back: in place of that if it has not
	 * been sent; else that it is done, which counts if nobody has it.
	 */
	void addAfterGivingBack(Settlement settlement) {
		boolean unsent = this.waiting.removeIf((each) -> each.uid().equals(settlement.uid()));
		if (unsent || settlement.action() == Settlement.Action.ACK) {
			this.waiting.add(settlement);
		}
	}

	/**
	 * Takes as many as one request can settle.
	 */
	List<Settlement> take() {
		List<Settlement> taken = this.waiting;
		if (taken.size() <= ClaimRequest.MAX_SETTLEMENTS) {
			this.waiting = new ArrayList<>();
			return taken;
		}
		this.waiting = new ArrayList<>(taken.subList(ClaimRequest.MAX_SETTLEMENTS, taken.size()));
		return new ArrayList<>(taken.subList(0, ClaimRequest.MAX_SETTLEMENTS));
	}

	/**
	 * The lane is gone: of what waits, and of what a request may not have settled, only
	 * the acknowledgements are kept, as late ones.
	 */
	void loseLane(List<Settlement> unanswered) {
		List<Settlement> lost = new ArrayList<>(unanswered);
		lost.addAll(this.waiting);
		this.waiting = new ArrayList<>(lost.size());
		lost.forEach(this::addLate);
	}

}
