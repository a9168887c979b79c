package io.redelay.queue.claim;

import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import io.redelay.queue.handle.Delivery;
import io.redelay.queue.message.Settlement;
import io.redelay.queue.request.LaneStatus;
import io.redelay.queue.script.ClaimReply;
import io.redelay.queue.script.ResumeScript;
import org.jspecify.annotations.Nullable;

/**
 * The messages that a loop has claimed and not settled, and the settlements that Redis
 * has not received or not answered yet. The lease of the lane is renewed while there are
 * any. Guarded by the loop's lock.
 * <p>
 * The loop numbers its lanes, one after the other: the number is the epoch of the lane.
 * If the epoch of a message is an earlier one, the present lane does not hold the
 * message, and the message can only be acknowledged late.
 */
final class HeldMessages {

	private final ClaimLane lane;

	private final LaneRenewer renewer;

	/**
	 * The messages that are not settled, of all epochs, in the order in which they were
	 * claimed.
	 */
	private final Set<Delivery> deliveries = new LinkedHashSet<>();

	private final FinishedSettlements finished = new FinishedSettlements();

	private final EarlyAcknowledgements first;

	/**
	 * The settlements of a request that was not answered, so that it is unknown whether
	 * Redis carried it out: the next request has the same settlements.
	 */
	private @Nullable List<Settlement> unanswered;

	/**
	 * Whether all messages that the loop held after the last claim came with that claim.
	 */
	private boolean claimedTogether;

	/**
	 * Whether the loop has given back the messages whose handlers still run.
	 */
	private boolean handedBack;

	/**
	 * Changes while the loop's lock is held; read without it, too.
	 */
	private volatile long epoch;

	/**
	 * Creates an object that holds no messages.
	 * @param first the messages that are acknowledged before their handling
	 */
	HeldMessages(ClaimLane lane, LaneRenewer renewer, EarlyAcknowledgements first) {
		this.lane = lane;
		this.renewer = renewer;
		this.first = first;
	}

	/**
	 * Returns whether all claimed messages are settled.
	 */
	boolean isEmpty() {
		return this.deliveries.isEmpty();
	}

	/**
	 * Returns whether all claimed messages are settled, or were given back although their
	 * handlers still run.
	 */
	boolean isSettledOrHandedBack() {
		return this.handedBack || isEmpty();
	}

	/**
	 * Returns whether the messages whose handlers still run were given back.
	 */
	boolean isHandedBack() {
		return this.handedBack;
	}

	/**
	 * Returns whether no handler can need the lane any more: all messages are settled and
	 * their handling has ended, or they were given back.
	 */
	boolean isOver() {
		return this.handedBack || (isEmpty() && this.first.isEmpty());
	}

	/**
	 * Returns whether there are messages, and all of them came with the last claim.
	 */
	boolean isFromLastClaim() {
		return this.claimedTogether && !isEmpty();
	}

	/**
	 * Returns whether settlements wait for the next request.
	 */
	boolean hasFinished() {
		return !this.finished.isEmpty();
	}

	/**
	 * Returns whether the next request must repeat the settlements of the last one.
	 */
	boolean hasUnanswered() {
		return this.unanswered != null;
	}

	long epoch() {
		return this.epoch;
	}

	/**
	 * Returns whether the present lane holds a message. The loop's lock is not needed.
	 */
	boolean isCurrent(Delivery delivery) {
		return delivery.laneEpoch() == this.epoch;
	}

	/**
	 * Returns whether a message is not settled.
	 */
	boolean holds(Delivery delivery) {
		return this.deliveries.contains(delivery);
	}

	int count() {
		return this.deliveries.size();
	}

	List<Delivery> deliveries() {
		return List.copyOf(this.deliveries);
	}

	/**
	 * Returns all messages that may have a handler: those that are held, and those that
	 * were acknowledged before their handling.
	 */
	List<Delivery> inHand() {
		return Stream.concat(this.deliveries.stream(), this.first.inHand().stream()).toList();
	}

	/**
	 * Returns the deliveries whose messages the present lane does not hold.
	 */
	List<Delivery> lost() {
		return this.deliveries.stream().filter((delivery) -> !isCurrent(delivery)).toList();
	}

	/**
	 * Returns the settlements for the next request: those of the request that was not
	 * answered, if there is one; otherwise the waiting ones, which are removed.
	 */
	List<Settlement> takeSettlements() {
		return (this.unanswered != null) ? this.unanswered : this.finished.take();
	}

	/**
	 * Records the settlement of a message.
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
	 * Records that Redis has carried out a request.
	 * @param claimed the deliveries that it brought
	 * @param sentNanos when it was sent: the earliest time of the renewal
	 */
	void answered(List<Delivery> claimed, long sentNanos) {
		this.unanswered = null;
		this.deliveries.addAll(claimed);
		this.claimedTogether = this.deliveries.size() == claimed.size();
		this.renewer.renewed(sentNanos);
		renew();
	}

	/**
	 * Records that a request failed. The next request has its settlements.
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
	 * Gives back the messages whose handlers still run. These messages stay in this
	 * object until their handlers end, and can be acknowledged as long as no other lane
	 * holds them.
	 */
	void handBack() {
		this.handedBack = true;
		renew();
		this.deliveries.stream().filter(this::isCurrent).forEach((delivery) -> this.finished.add(delivery.givenBack()));
	}

	/**
	 * Records that the queue was deleted, with all messages that were claimed from it.
	 * @param unstarted the deliveries withdrawn from the dispatcher
	 * @return the deliveries that the loop does not hold any more; a message whose
	 * handler runs stays until it is settled
	 */
	List<Delivery> lose(List<Delivery> unstarted) {
		beginEpoch();
		this.first.laneGone();
		this.unanswered = null;
		this.finished.clear();
		this.renewer.need(false);
		List<Delivery> dropped = unstarted.stream().filter(Delivery::drop).toList();
		dropped.forEach(this.deliveries::remove);
		return dropped;
	}

	/**
	 * Begins another lane that is to take over the messages, because Redis does not know
	 * the present lane, or not its last requests. Messages that were acknowledged before
	 * their handling, without an answer, are given back; {@link #laneGone()} has to
	 * follow.
	 * @param listener the id of the listener
	 * @param queue the name of the queue
	 * @param reply the reply about the lane
	 * @param settlements the settlements of the request
	 */
	LaneHandover recover(String listener, String queue, ClaimReply reply, List<Settlement> settlements) {
		this.unanswered = null;
		this.finished.replace(this.first::giveBack);
		List<Settlement> unsettled = this.first.giveBack(settlements);
		boolean wentBack = reply.status() != LaneStatus.GONE
				|| (this.renewer.isValid() && !this.lane.hasClockJumped(reply.time()));
		LaneHandover recovery = new LaneHandover(queue, listener, wentBack, this.lane.forgotten(reply), unsettled);
		recovery.add(this.finished.waiting());
		recovery.addHeld(this.deliveries, this.epoch);
		return recovery;
	}

	/**
	 * Answers the acknowledgements that were given back because their lane is gone.
	 */
	void laneGone() {
		this.first.laneGone();
	}

	/**
	 * Records which messages the other lane has taken over.
	 * @param sentNanos when the last request for that was sent
	 */
	void resumed(LaneHandover recovery, ResumeScript.Reply reply, long sentNanos) {
		beginEpoch();
		this.deliveries.stream()
			.filter((delivery) -> recovery.isTakenOver(delivery, reply))
			.forEach((delivery) -> delivery.takenOver(this.epoch));
		this.finished.resume(recovery.settlements(reply), recovery.claims(), reply.refused());
		this.renewer.renewed(sentNanos);
		renew();
	}

	/**
	 * Records that the loop is stopped and its lane is closed.
	 */
	void laneClosed() {
		beginEpoch();
		this.first.laneGone();
	}

	private void beginEpoch() {
		long ended = this.epoch;
		this.epoch = ended + 1;
	}

	/**
	 * Returns the uids of the messages whose settlements Redis does not have yet.
	 */
	Set<String> uids() {
		return Stream
			.concat(this.deliveries.stream().map(Delivery::uid), this.finished.waiting().stream().map(Settlement::uid))
			.collect(Collectors.toSet());
	}

	/**
	 * Starts or stops the renewal of the lease. A message whose settlement waits for the
	 * next request is still held by the lane, so the lease is renewed for it, too.
	 */
	private void renew() {
		this.renewer.need(!this.handedBack && (!this.deliveries.isEmpty() || hasFinished()));
	}

}
