package io.redelay.queue.listener;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;

import io.redelay.queue.invariant.Invariant;
import io.redelay.queue.invariant.Invariants;
import io.redelay.queue.store.ClaimReply;
import io.redelay.queue.store.ClaimRequest;
import io.redelay.queue.store.ClaimedMessage;
import io.redelay.queue.store.Settlement;
import io.redelay.queue.store.redis.ResumeScript;
import io.redelay.scheduling.Scheduler;
import org.jspecify.annotations.Nullable;

/**
 * The state of a claim loop, and the decisions that depend on it. The lock of this object
 * guards all of that state; no thread holds the lock while it calls code that may block.
 * <p>
 * Safe for use by many threads.
 */
final class LoopMonitor {

	private final DeliveryContext context;

	private final DeliveryOwner owner;

	private final Permits.Claimant claimant;

	private final PollTrigger trigger;

	private final Capacity capacity;

	private final HeldMessages held;

	private final SuspectsInHand suspects;

	private final EarlyAcknowledgements first = new EarlyAcknowledgements();

	private final Scheduler clock;

	private final Invariants invariants;

	private LoopState state = LoopState.IDLE;

	private Mode mode = Mode.CLAIMING;

	/**
	 * Whether a gate of this instance is closed, so that the loop claims nothing.
	 */
	private boolean gated;

	/**
	 * How many threads are settling several deliveries each. The next request waits for
	 * all of them.
	 */
	private int gathering;

	/**
	 * Whether the loop still has to give back the deliveries that wait for a handler,
	 * because handlers have become slow.
	 */
	private boolean stalled;

	/**
	 * When the loop was last given messages, or began.
	 */
	private long lastGivenNanos;

	/**
	 * Creates the state of a loop that holds no messages and has sent no request.
	 * @param owner the loop, as the messages that it claims see it
	 * @param claimant the loop, as it reserves room
	 */
	LoopMonitor(DeliveryContext context, DeliveryOwner owner, Permits.Claimant claimant, PollTrigger trigger,
			Capacity capacity, HeldMessages held, SuspectsInHand suspects, Scheduler clock, Invariants invariants) {
		this.context = context;
		this.owner = owner;
		this.claimant = claimant;
		this.trigger = trigger;
		this.capacity = capacity;
		this.held = held;
		this.suspects = suspects;
		this.clock = clock;
		this.invariants = invariants;
		this.lastGivenNanos = clock.nanoTime();
	}

	synchronized long lastGivenNanos() {
		return this.lastGivenNanos;
	}

	synchronized void wakeUp() {
		this.trigger.wakeUp(this.state.isBusy());
	}

	synchronized void call() {
		this.trigger.call();
	}

	synchronized void look() {
		this.trigger.look();
	}

	synchronized void occupied() {
		this.trigger.occupied();
	}

	synchronized void check() {
		this.trigger.check();
	}

	synchronized void lookForSuspects() {
		this.suspects.askAtOnce();
		this.trigger.look();
	}

	synchronized boolean needsHelp() {
		return this.trigger.needsHelp();
	}

	/**
	 * Ends claiming for good.
	 */
	synchronized void stop() {
		this.mode = Mode.STOPPING;
		this.capacity.permits().withdraw(this.claimant);
	}

	/**
	 * Ends claiming until {@link #resume()} is called.
	 */
	synchronized void pause() {
		if (this.mode == Mode.CLAIMING) {
			this.mode = Mode.PAUSED;
		}
		this.trigger.pause();
		this.capacity.permits().withdraw(this.claimant);
	}

	synchronized void resume() {
		if (this.mode == Mode.PAUSED) {
			this.mode = Mode.CLAIMING;
		}
		this.trigger.look();
	}

	/**
	 * Returns whether the loop is paused or stopped, or its gate is closed.
	 */
	synchronized boolean claimsNoMore() {
		return !isClaiming();
	}

	private boolean isClaiming() {
		return this.mode == Mode.CLAIMING && !this.gated;
	}

	/**
	 * Sets whether the gates of this instance are open.
	 * @return whether that has changed
	 */
	synchronized boolean gate(boolean open) {
		boolean changed = this.gated == open;
		this.gated = !open;
		if (changed && open) {
			this.trigger.look();
		}
		else if (changed) {
			this.trigger.pause();
			this.capacity.permits().withdraw(this.claimant);
		}
		return changed;
	}

	synchronized boolean isGated() {
		return this.gated;
	}

	synchronized void handBack() {
		this.held.handBack();
	}

	synchronized boolean isBusy() {
		return this.state.isBusy();
	}

	/**
	 * Records that a thread begins to settle several deliveries. The next request waits
	 * until the thread calls {@link #gathered()}.
	 */
	synchronized void gather() {
		this.gathering++;
	}

	synchronized void gathered() {
		this.gathering--;
	}

	/**
	 * Records that handlers have become slow, so that waiting deliveries have to be given
	 * back.
	 */
	synchronized void stalled() {
		this.stalled = true;
	}

	/**
	 * Returns whether the caller has to give back the deliveries that wait for handlers
	 * now. If so, the loop forgets that handlers have become slow.
	 */
	synchronized boolean takeStalled() {
		boolean now = this.stalled && !this.state.isBusy();
		if (now) {
			this.stalled = false;
		}
		return now;
	}

	synchronized boolean mayStart(Delivery delivery) {
		return isClaiming() && this.held.isCurrent(delivery);
	}

	synchronized List<Delivery> deliveries() {
		return this.held.deliveries();
	}

	/**
	 * Returns all messages that may have a handler: those that are held, and those that
	 * were acknowledged before their handling.
	 */
	synchronized List<Delivery> inHand() {
		List<Delivery> all = new ArrayList<>(this.held.deliveries());
		all.addAll(this.first.inHand());
		return all;
	}

	/**
	 * Returns whether the loop is stopped and has sent all its settlements to Redis.
	 */
	synchronized boolean hasToldAll() {
		return this.state == LoopState.CLOSING || this.state == LoopState.CLOSED;
	}

	/**
	 * Returns the deliveries whose messages the present lane does not hold.
	 */
	synchronized List<Delivery> lost() {
		return this.held.deliveries().stream().filter((delivery) -> !this.held.isCurrent(delivery)).toList();
	}

	/**
	 * Records the settlement of a message.
	 * @return the tickets of suspects that the caller has to release
	 */
	synchronized List<SuspectAdmission.Ticket> settle(Delivery delivery, Settlement settlement) {
		if (this.held.settle(delivery, settlement)) {
			release(delivery);
		}
		else {
			violated(Invariant.HELD_MESSAGE,
					"the message '" + delivery.uid() + "' is settled with " + settlement.action() + " and not held; "
							+ this.held.count() + " messages are, and the loop is " + this.state);
		}
		return this.held.isCurrent(delivery) ? List.of() : this.suspects.settled(List.of(settlement));
	}

	/**
	 * Acknowledges a message before its handling, or gives it back if its lane is gone or
	 * is being replaced, as it would be unknown whether the acknowledgement counts.
	 * @param afterwards collects the actions that the caller has to run
	 * @return a future of whether the message is acknowledged
	 */
	synchronized CompletableFuture<Boolean> acknowledgeFirst(Delivery delivery, Settlement acknowledgement,
			Consumer<Runnable> afterwards) {
		boolean lasts = this.state != LoopState.RESUMING && this.held.isCurrent(delivery) && !this.held.isHandedBack();
		CompletableFuture<Boolean> answer = lasts ? this.first.add(delivery) : CompletableFuture.completedFuture(false);
		List<SuspectAdmission.Ticket> tickets = settle(delivery,
				lasts ? acknowledgement : delivery.claim().givenBack(Duration.ZERO));
		tickets.forEach((ticket) -> afterwards.accept(ticket::release));
		return answer;
	}

	/**
	 * Records the reply to a request that may have acknowledged messages before their
	 * handling.
	 * @return the actions that the caller has to run
	 */
	synchronized List<Runnable> acknowledgedFirst(PendingClaim request, ClaimReply reply) {
		return this.first.answered(request.settlements(), reply.refused());
	}

	/**
	 * Records the end of the handling of a message that was acknowledged before.
	 * @return whether it had kept its room until now
	 */
	synchronized boolean handled(Delivery delivery) {
		boolean kept = this.first.ended(delivery);
		if (kept) {
			this.capacity.permits().release(this.claimant, 1);
		}
		return kept;
	}

	private void release(Delivery delivery) {
		if (!this.first.keepsRoom(delivery)) {
			this.capacity.permits().release(this.claimant, 1);
		}
		if (delivery.claim().isSuspect()) {
			this.capacity.suspects().release(this.context.queue());
		}
	}

	/**
	 * Decides the next step of the loop, and enters the state for it.
	 * @return the step that the caller has to carry out, or {@code null} for none
	 */
	synchronized @Nullable LoopStep next() {
		if (this.state.isBusy() || this.gathering > 0 || isAboutToSettleAll()
				|| (this.state == LoopState.CLOSED && !this.held.hasFinished())) {
			return null;
		}
		boolean claims = isClaiming() && (this.trigger.shouldClaim() || this.held.hasFinished())
				&& (!this.trigger.yields() || this.capacity.permits().areSeveral());
		int wanted = claims ? this.capacity.permits().reserve(this.claimant, ClaimRequest.MAX_WANTED) : 0;
		if (wanted > 0 || mustSend()) {
			return send(wanted);
		}
		if (this.mode == Mode.STOPPING && this.held.isSettledOrHandedBack()
				&& (this.first.isEmpty() || this.held.isHandedBack())) {
			enter(LoopState.CLOSING);
			return new LoopStep(LoopState.CLOSING, null);
		}
		if (this.trigger.yields() && !claims && this.held.isEmpty() && this.held.hasLane()) {
			enter(LoopState.RELEASING_LANE);
			return new LoopStep(LoopState.RELEASING_LANE, null);
		}
		return null;
	}

	/**
	 * Returns whether the loop has to send a request even if the request claims nothing.
	 * A stopping loop does so to renew its lane while handlers run, and to learn whether
	 * their messages are lost: the handlers are then signalled.
	 */
	private boolean mustSend() {
		return this.held.hasUnanswered() || this.held.hasFinished()
				|| (this.trigger.mustSend() && (this.mode != Mode.STOPPING || !this.held.isSettledOrHandedBack()));
	}

	/**
	 * Returns whether the next request has to wait, because handlers are expected to
	 * settle all messages of the last claim before a request would be answered. The
	 * request does not wait if the loop holds messages of earlier claims as well.
	 */
	private boolean isAboutToSettleAll() {
		return this.held.isFromLastClaim() && this.trigger.claimsSoon() && this.mode == Mode.CLAIMING
				&& this.capacity.pace().isBrief();
	}

	private LoopStep send(int wanted) {
		enter(LoopState.REQUESTING);
		this.trigger.sent();
		this.capacity.permits().leaveLine(this.claimant);
		SuspectAdmission.Ticket suspect = (wanted > 0 && this.trigger.claimsSuspects()) ? this.suspects.ask() : null;
		return new LoopStep(LoopState.REQUESTING,
				new PendingClaim(wanted, suspect, this.held.takeSettlements(), this.clock.nanoTime()));
	}

	/**
	 * Records the reply to a request that Redis has carried out. The caller then
	 * dispatches the deliveries and calls {@link #idle()}.
	 * @return the deliveries, and when to look for messages again
	 */
	synchronized AcceptedClaim accept(PendingClaim request, ClaimReply reply) {
		enter(LoopState.DISPATCHING);
		List<Delivery> deliveries = new ArrayList<>(reply.messages().size());
		long now = this.clock.nanoTime();
		for (ClaimedMessage message : reply.messages()) {
			deliveries.add(new Delivery(this.owner, this.context, message, this.held.epoch(), reply.time(), now));
		}
		this.held.answered(deliveries, request.sentNanos());
		this.capacity.permits().answered(this.claimant, request.wanted(), deliveries.size());
		boolean suspect = this.suspects.claimed(request.suspect(), reply.messages());
		if (request.wanted() == 0) {
			this.trigger.look();
			return new AcceptedClaim(deliveries, null, false);
		}
		if (!deliveries.isEmpty()) {
			this.lastGivenNanos = now;
		}
		boolean full = deliveries.size() >= request.wanted();
		this.capacity.permits().claimed(this.claimant, full);
		PollTrigger.Claim claim = new PollTrigger.Claim(full, deliveries.isEmpty(), suspect,
				this.capacity.pace().isFast(), reply.next());
		this.trigger.claimed(claim);
		@Nullable Duration nextLook = this.trigger.shouldClaim() ? null : this.trigger.nextLook(claim);
		return new AcceptedClaim(deliveries, nextLook, this.trigger.isWatched());
	}

	/**
	 * Removes the tickets that a request freed, after its messages were dispatched.
	 * @return the tickets that the caller has to release: those of the suspects that the
	 * request settled, and its own if it brought no suspect
	 */
	synchronized List<SuspectAdmission.Ticket> releaseSuspects(PendingClaim request, ClaimReply reply) {
		return this.suspects.answered(request, reply);
	}

	/**
	 * Allows the next request.
	 */
	synchronized void idle() {
		enter(LoopState.IDLE);
		this.trigger.answered();
	}

	/**
	 * Records that Redis refused a request or did not answer it. The loop still holds its
	 * messages, and the next request repeats the settlements.
	 */
	synchronized void failed(PendingClaim request) {
		enter(LoopState.BACKING_OFF);
		this.held.failed(request.settlements());
	}

	/**
	 * Ends the pause after a failure.
	 */
	synchronized void retry() {
		enter(LoopState.IDLE);
		this.trigger.retry();
	}

	/**
	 * Records that the queue was deleted, with the messages that the loop held.
	 * @param unstarted the deliveries withdrawn from the dispatcher
	 * @param afterwards collects the actions that the caller has to run
	 */
	synchronized void lose(List<Delivery> unstarted, Consumer<Runnable> afterwards) {
		this.stalled = false;
		this.first.laneGone(afterwards);
		this.held.lose(unstarted).forEach(this::release);
		this.trigger.laneReplaced(this.mode == Mode.PAUSED);
		enter(LoopState.IDLE);
		this.suspects.retain(this.held.uids()).forEach((ticket) -> afterwards.accept(ticket::release));
	}

	/**
	 * Records that Redis does not know the lane, or not its last requests, so that
	 * another lane has to take over the messages that the loop holds.
	 */
	synchronized void resuming() {
		enter(LoopState.RESUMING);
		this.stalled = false;
	}

	/**
	 * Begins the lane that is to take over the messages that the loop holds. Those that
	 * were acknowledged before their handling, without an answer, are given back.
	 * @param afterwards collects the actions that the caller has to run
	 */
	synchronized LaneHandover recover(PendingClaim request, ClaimReply reply, Consumer<Runnable> afterwards) {
		this.held.replaceFinished(this.first::giveBack);
		List<Settlement> settlements = this.first.giveBack(request.settlements());
		this.first.laneGone(afterwards);
		return this.held.recover(this.context.listener(), this.context.queue(), reply, settlements);
	}

	/**
	 * Records which messages another lane has taken over.
	 * @return the tickets of suspects that the caller has to release
	 */
	synchronized List<SuspectAdmission.Ticket> resumed(LaneHandover recovery, ResumeScript.Reply reply,
			long sentNanos) {
		this.held.resumed(recovery, reply, sentNanos);
		this.trigger.laneReplaced(this.mode == Mode.PAUSED);
		return this.suspects.retain(this.held.uids());
	}

	/**
	 * Records that the lane of a helping loop is closed.
	 */
	synchronized void laneReleased() {
		enter(LoopState.IDLE);
	}

	/**
	 * Records that the lane of a stopped loop is closed.
	 * @param afterwards collects the actions that the caller has to run
	 */
	synchronized void closed(Consumer<Runnable> afterwards) {
		this.held.laneClosed();
		this.first.laneGone(afterwards);
		enter(LoopState.CLOSED);
	}

	/**
	 * Enters a state. If {@link LoopState} does not allow the transition, this method
	 * reports that and makes the transition nevertheless: a loop that refused it would
	 * never claim again.
	 */
	private void enter(LoopState next) {
		if (!this.state.canBecome(next)) {
			violated(Invariant.LOOP_STATE,
					this.state + " is followed by " + next + ", with " + this.held.count() + " messages held");
		}
		this.state = next;
	}

	private void violated(Invariant invariant, String what) {
		this.invariants.violated(this.context.queue(), invariant, what);
	}

	/**
	 * The mode that the container has set.
	 */
	private enum Mode {

		CLAIMING, PAUSED, STOPPING

	}

}
