package io.redelay.queue.listener;

import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

import io.redelay.queue.store.ClaimLane;
import io.redelay.queue.store.ReplayMemory;
import io.redelay.queue.store.ResumeReply;
import io.redelay.queue.store.ResumeRequest;
import io.redelay.queue.store.Rollback;
import io.redelay.queue.store.Settlement;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;

/**
 * What a loop tells the lane that follows on one that Redis does not know any more, or
 * not its last requests: which messages it has in hand, and which it has settled.
 */
final class LaneRecovery {

	private static final Log logger = LogFactory.getLog(LaneRecovery.class);

	private final String queue;

	private final String listener;

	private final boolean wentBack;

	private final ClaimLane.Forgotten forgotten;

	private final List<Settlement> settlements = new ArrayList<>();

	/**
	 * By uid; of several claims of a message the last one.
	 */
	private final Map<String, ResumeRequest.Holding> holdings = new LinkedHashMap<>();

	private long laneEpoch;

	/**
	 * Creates what is told.
	 * @param wentBack whether Redis went back in time; otherwise the lease ran out
	 * @param forgotten what was settled, and Redis has forgotten
	 * @param unsettled what was to be settled by the request that failed
	 */
	LaneRecovery(String queue, String listener, boolean wentBack, ClaimLane.Forgotten forgotten,
			List<Settlement> unsettled) {
		this.queue = queue;
		this.listener = listener;
		this.wentBack = wentBack;
		this.forgotten = forgotten;
		this.settlements.addAll(forgotten.settlements());
		this.settlements.addAll(unsettled);
		add(this.settlements);
	}

	/**
	 * Adds settlements that have not been sent yet.
	 */
	void add(List<Settlement> waiting) {
		for (Settlement settlement : waiting) {
			if (settlement.claim() != Settlement.LATE) {
				this.holdings.put(settlement.uid(), new ResumeRequest.Holding(settlement.uid(), settlement.claim(),
						settlement.action() == Settlement.Action.ACK));
			}
		}
	}

	/**
	 * Adds what is in hand under the lane.
	 */
	void addHeld(Collection<Delivery> inHand, long epoch) {
		this.laneEpoch = epoch;
		for (Delivery delivery : inHand) {
			if (delivery.laneEpoch() == epoch) {
				this.holdings.put(delivery.uid(), new ResumeRequest.Holding(delivery.uid(), delivery.claim(), false));
			}
		}
	}

	Collection<ResumeRequest.Holding> holdings() {
		return this.holdings.values();
	}

	/**
	 * What was settled, or was to be settled by the request that failed.
	 */
	List<Settlement> settlements() {
		return this.settlements;
	}

	Map<String, Long> claims() {
		return this.holdings.values()
			.stream()
			.collect(Collectors.toMap(ResumeRequest.Holding::uid, ResumeRequest.Holding::claim));
	}

	boolean isTakenOver(Delivery delivery, ResumeReply reply) {
		ResumeRequest.Holding holding = this.holdings.get(delivery.uid());
		return delivery.laneEpoch() == this.laneEpoch && holding != null && holding.claim() == delivery.claim()
				&& !reply.refused().contains(delivery.uid());
	}

	void tell(ResumeReply reply, ReplayMemory memory) {
		if (!this.wentBack && this.holdings.isEmpty()) {
			return;
		}
		long others = this.holdings.keySet().stream().filter(reply.refused()::contains).count();
		if (!this.wentBack) {
			logger.warn("The lease of the listener '" + this.listener + "' on the queue '" + this.queue
					+ "' had run out, because it was not renewed for as long. Of " + this.holdings.size()
					+ " message(s) that it held, " + others + " are delivered again");
			return;
		}
		long repeated = this.forgotten.settlements()
			.stream()
			.filter((settlement) -> !reply.refused().contains(settlement.uid()))
			.count();
		memory.report(new Rollback(this.queue, Rollback.Lane.CONSUMER, this.forgotten.requests(), repeated,
				reply.givenBack(), 0));
	}

}
