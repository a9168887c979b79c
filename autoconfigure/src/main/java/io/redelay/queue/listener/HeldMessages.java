package io.redelay.queue.listener;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

import io.redelay.queue.store.ClaimLane;
import io.redelay.queue.store.ClaimReply;
import io.redelay.queue.store.LaneStatus;
import io.redelay.queue.store.ResumeReply;
import io.redelay.queue.store.Settlement;
import org.jspecify.annotations.Nullable;

/**
 * What a loop holds: the messages that it claimed and that are not settled, and the
 * settlements of which Redis has not been told. Has the lane renewed while there are any.
 * Guarded by the loop's lock.
 * <p>
 * Each lane that follows on another one has an epoch of its own. A message that was
 * claimed in an earlier epoch, and was not taken over since, can only be acknowledged
 * late.
 */
final class HeldMessages {

	private final ClaimLane lane;

	private final LaneRenewer renewer;

	/**
	 * What is not settled, in the order in which it was claimed, in all epochs.
	 */
	private final Set<Delivery> deliveries = new LinkedHashSet<>();

	private final FinishedSettlements finished = new FinishedSettlements();

	/**
	 * The settlements of a request of which it is unknown whether it was carried out: the
	 * next one has the same.
	 */
	private @Nullable List<Settlement> unanswered;

	private boolean claimedTogether;

	private boolean handedBack;

	private long epoch;

	HeldMessages(ClaimLane lane, LaneRenewer renewer) {
		this.lane = lane;
		this.renewer = renewer;
	}

	/**
	 * Whether the lane is open.
	 */
	boolean hasLane() {
		return this.lane.name() != null;
	}

	/**
	 * Whether all that was claimed is settled.
	 */
	boolean isEmpty() {
		return this.deliveries.isEmpty();
	}

	/**
	 * Whether all that was claimed is settled, or given back although it still runs.
	 */
	boolean isSettledOrHandedBack() {
		return this.handedBack || isEmpty();
	}

	/**
	 * Whether there are messages, and all of them came with the last claim.
	 */
	boolean isFromLastClaim() {
		return this.claimedTogether && !isEmpty();
	}

	/**
	 * Whether settlements wait for the next request.
	 */
	boolean hasFinished() {
		return !this.finished.isEmpty();
	}

	/**
	 * Whether the next request must repeat the settlements of the last one.
	 */
	boolean hasUnanswered() {
		return this.unanswered != null;
	}

	long epoch() {
		return this.epoch;
	}

	/**
	 * Whether a message is held by the present lane.
	 */
	boolean isCurrent(Delivery delivery) {
		return delivery.laneEpoch() == this.epoch;
	}

	int count() {
		return this.deliveries.size();
	}

	List<Delivery> deliveries() {
		return List.copyOf(this.deliveries);
	}

	/**
	 * The settlements for the next request.
	 */
	List<Settlement> takeSettlements() {
		return (this.unanswered != null) ? this.unanswered : this.finished.take();
	}

	/**
	 * A message is settled.
	 * @return whether it was held
	 */
	boolean settle(Delivery delivery, Settlement settlement) {
		if (!isCurrent(delivery)) {
			this.finished.addLate(settlement);
		}
		else if (this.handedBack) {
			this.finished.addAfterGivingBack(settlement);
		}
		else {
			this.finished.add(settlement);
		}
		return this.deliveries.remove(delivery);
	}

	/**
	 * A request was carried out.
	 * @param claimed what it brought
	 * @param sentNanos when it was sent, which is when it renewed the lane at the
	 * earliest
	 */
	void answered(List<Delivery> claimed, long sentNanos) {
		this.unanswered = null;
		this.deliveries.addAll(claimed);
		this.claimedTogether = this.deliveries.size() == claimed.size();
		this.renewer.renewed(sentNanos);
		renew();
	}

	/**
	 * A request failed. What it was to settle is settled by the next one.
	 */
	void failed(List<Settlement> settlements) {
		if (this.lane.isUnanswered()) {
			this.unanswered = settlements;
		}
		else if (this.unanswered == null) {
			this.finished.putBack(settlements);
		}
	}

	/**
	 * Gives back what still runs. It stays here until its handlers are done, and can be
	 * acknowledged while nobody else has it.
	 */
	void handBack() {
		this.handedBack = true;
		renew();
		this.deliveries.stream().filter(this::isCurrent).forEach((delivery) -> this.finished.add(delivery.givenBack()));
	}

	/**
	 * The queue was deleted, with all that was claimed from it.
	 * @param unstarted what was taken back from the dispatcher
	 * @return what of that is not held any more; what runs stays until it is settled
	 */
	List<Delivery> lose(List<Delivery> unstarted) {
		this.epoch++;
		this.unanswered = null;
		this.finished.clear();
		this.renewer.need(false);
		List<Delivery> forsaken = unstarted.stream().filter(Delivery::forsake).toList();
		forsaken.forEach(this.deliveries::remove);
		return forsaken;
	}

	/**
	 * Redis does not know the lane, or not its last requests. Begins another lane that is
	 * to take over what is held.
	 * @param listener the id of the listener
	 * @param queue the name of the queue
	 * @param reply what Redis said of the lane
	 * @param settlements what the request was to settle
	 */
	LaneRecovery recover(String listener, String queue, ClaimReply reply, List<Settlement> settlements) {
		this.unanswered = null;
		boolean wentBack = reply.status() != LaneStatus.GONE
				|| (this.renewer.isValid() && !this.lane.hasClockJumped(reply.time()));
		LaneRecovery recovery = new LaneRecovery(queue, listener, wentBack, this.lane.forgotten(reply), settlements);
		recovery.add(this.finished.waiting());
		recovery.addHeld(this.deliveries, this.epoch);
		this.lane.begin(recovery.holdings(), wentBack);
		return recovery;
	}

	/**
	 * Another lane has taken over what it could.
	 * @param sentNanos when the last request for that was sent
	 */
	void resumed(LaneRecovery recovery, ResumeReply reply, long sentNanos) {
		this.epoch++;
		for (Delivery delivery : this.deliveries) {
			if (recovery.isTakenOver(delivery, reply)) {
				delivery.takenOver(this.epoch);
			}
		}
		this.finished.resume(recovery.settlements(reply), recovery.claims(), reply.refused());
		this.renewer.renewed(sentNanos);
		renew();
	}

	/**
	 * The loop is stopped and its lane is closed.
	 */
	void laneClosed() {
		this.epoch++;
	}

	/**
	 * The messages of which Redis is still to be told what became of them.
	 */
	Set<String> uids() {
		Set<String> uids = new HashSet<>();
		this.deliveries.forEach((delivery) -> uids.add(delivery.uid()));
		this.finished.waiting().forEach((settlement) -> uids.add(settlement.uid()));
		return uids;
	}

	/**
	 * What waits to be settled is held by the lane, too.
	 */
	private void renew() {
		this.renewer.need(!this.handedBack && (!this.deliveries.isEmpty() || hasFinished()));
	}

}
