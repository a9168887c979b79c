package io.redelay.queue.listener;

import java.util.ArrayList;
import java.util.List;

import io.redelay.queue.invariant.Invariant;
import io.redelay.queue.invariant.Invariants;
import io.redelay.queue.store.ClaimReply;
import io.redelay.queue.store.ClaimRequest;
import io.redelay.queue.store.ClaimedMessage;
import io.redelay.queue.store.ResumeReply;
import io.redelay.queue.store.Settlement;
import io.redelay.scheduling.Scheduler;
import org.jspecify.annotations.Nullable;

/**
 * What a claim loop knows, and what it decides from that: all of it under this object's
 * lock, which is never held while something is called that may block.
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

	private final Scheduler clock;

	private final Invariants invariants;

	private LoopState state = LoopState.IDLE;

	private Mode mode = Mode.CLAIMING;

	/**
	 * How many threads are about to settle more, for which the next request waits.
	 */
	private int gathering;

	/**
	 * Whether what waits for a handler is to be given back, because handlers have become
	 * slow.
	 */
	private boolean stalled;

	/**
	 * Nothing is held yet, and no request was sent.
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
	 * No more is claimed from here on.
	 */
	synchronized void stop() {
		this.mode = Mode.STOPPING;
		this.capacity.permits().leaveLine(this.claimant);
	}

	/**
	 * Nothing is claimed until it is resumed.
	 */
	synchronized void pause() {
		if (this.mode == Mode.CLAIMING) {
			this.mode = Mode.PAUSED;
		}
		this.trigger.pause();
		this.capacity.permits().leaveLine(this.claimant);
	}

	synchronized void resume() {
		if (this.mode == Mode.PAUSED) {
			this.mode = Mode.CLAIMING;
		}
		this.trigger.look();
	}

	/**
	 * Whether the loop is paused or stopped.
	 */
	synchronized boolean claimsNoMore() {
		return this.mode != Mode.CLAIMING;
	}

	synchronized void handBack() {
		this.held.handBack();
	}

	synchronized boolean isBusy() {
		return this.state.isBusy();
	}

	/**
	 * A thread is about to settle several deliveries, for all of which the next request
	 * waits.
	 */
	synchronized void gather() {
		this.gathering++;
	}

	synchronized void gathered() {
		this.gathering--;
	}

	/**
	 * Handlers have become slow.
	 */
	synchronized void stalled() {
		this.stalled = true;
	}

	/**
	 * Whether what waits for handlers is to be given back now, for which the caller sees.
	 */
	synchronized boolean takeStalled() {
		boolean now = this.stalled && !this.state.isBusy();
		if (now) {
			this.stalled = false;
		}
		return now;
	}

	synchronized boolean mayStart(Delivery delivery) {
		return this.mode == Mode.CLAIMING && this.held.isCurrent(delivery);
	}

	synchronized List<Delivery> deliveries() {
		return this.held.deliveries();
	}

	/**
	 * A message is settled.
	 * @return permissions for suspects that are to be released
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

	private void release(Delivery delivery) {
		this.capacity.permits().release(this.claimant, 1);
		if (delivery.isSuspect()) {
			this.capacity.suspects().release(this.context.queue());
		}
	}

	/**
	 * Decides what is to be done next, and enters the state for it.
	 * @return what the caller is to do, or {@code null} for nothing
	 */
	synchronized @Nullable LoopStep next() {
		if (this.state.isBusy() || this.gathering > 0 || isAboutToSettleAll()
				|| (this.state == LoopState.CLOSED && !this.held.hasFinished())) {
			return null;
		}
		boolean claims = this.mode == Mode.CLAIMING && (this.trigger.shouldClaim() || this.held.hasFinished());
		int wanted = claims ? this.capacity.permits().reserve(this.claimant, ClaimRequest.MAX_WANTED) : 0;
		if (wanted > 0 || mustSend()) {
			return send(wanted);
		}
		if (this.mode == Mode.STOPPING && this.held.isSettledOrHandedBack()) {
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
	 * Whether a request is to be sent although nothing is claimed.
	 */
	private boolean mustSend() {
		return this.held.hasUnanswered() || this.held.hasFinished()
				|| (this.trigger.mustSend() && this.mode != Mode.STOPPING);
	}

	/**
	 * What was claimed together is settled together if handlers are expected to be done
	 * with it before a request would be back. What has been held for longer is not waited
	 * for.
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
	 * The request was carried out. Dispatching what it brought is up to the caller, who
	 * tells then by {@link #idle()}.
	 * @return what it brought, and when to look again
	 */
	synchronized AcceptedClaim accept(PendingClaim request, ClaimReply reply) {
		enter(LoopState.DISPATCHING);
		List<Delivery> deliveries = new ArrayList<>(reply.messages().size());
		long now = this.clock.nanoTime();
		for (ClaimedMessage message : reply.messages()) {
			deliveries.add(new Delivery(this.owner, this.context, message, this.held.epoch(), reply.time(), now));
		}
		this.held.answered(deliveries, request.sentNanos());
		this.capacity.permits().release(this.claimant, request.wanted() - deliveries.size());
		boolean suspect = this.suspects.claimed(request.suspect(), reply.messages());
		if (request.wanted() == 0) {
			this.trigger.look();
			return new AcceptedClaim(deliveries, null);
		}
		boolean full = deliveries.size() >= request.wanted();
		this.capacity.permits().claimed(this.claimant, full);
		PollTrigger.Claim claim = new PollTrigger.Claim(full, deliveries.isEmpty(), suspect,
				this.capacity.pace().isFast(), reply.next());
		this.trigger.claimed(claim);
		return new AcceptedClaim(deliveries, this.trigger.shouldClaim() ? null : this.trigger.nextLook(claim));
	}

	/**
	 * What the request brought is dispatched.
	 * @return permissions for suspects that are to be released, of what the request
	 * settled
	 */
	synchronized List<SuspectAdmission.Ticket> releaseSuspects(PendingClaim request, ClaimReply reply) {
		return this.suspects.answered(request, reply);
	}

	/**
	 * The next request may go out.
	 */
	synchronized void idle() {
		enter(LoopState.IDLE);
		this.trigger.answered();
	}

	/**
	 * The request was refused, or not answered. What is held stays held, and what was to
	 * be settled is settled by the next request.
	 */
	synchronized void failed(PendingClaim request) {
		enter(LoopState.BACKING_OFF);
		this.held.failed(request.settlements());
	}

	/**
	 * The pause after a failure is over.
	 */
	synchronized void retry() {
		enter(LoopState.IDLE);
		this.trigger.retry();
	}

	/**
	 * The queue was deleted, with what was claimed from it.
	 * @param unstarted what was taken back from the dispatcher
	 * @return permissions for suspects that are to be released
	 */
	synchronized List<SuspectAdmission.Ticket> lose(List<Delivery> unstarted) {
		this.stalled = false;
		this.held.lose(unstarted).forEach(this::release);
		this.trigger.laneReplaced(this.mode == Mode.PAUSED);
		enter(LoopState.IDLE);
		return this.suspects.retain(this.held.uids());
	}

	/**
	 * Redis does not know the lane, or not its last requests, and another one is to take
	 * over what is held.
	 */
	synchronized void resuming() {
		enter(LoopState.RESUMING);
		this.stalled = false;
	}

	/**
	 * Begins the lane that is to take over what is held.
	 */
	synchronized LaneRecovery recover(PendingClaim request, ClaimReply reply) {
		return this.held.recover(this.context.listener(), this.context.queue(), reply, request.settlements());
	}

	/**
	 * Another lane has taken over what it could.
	 * @return permissions for suspects that are to be released
	 */
	synchronized List<SuspectAdmission.Ticket> resumed(LaneRecovery recovery, ResumeReply reply, long sentNanos) {
		this.held.resumed(recovery, reply, sentNanos);
		this.trigger.laneReplaced(this.mode == Mode.PAUSED);
		return this.suspects.retain(this.held.uids());
	}

	/**
	 * The lane of a helping loop is closed.
	 */
	synchronized void laneReleased() {
		enter(LoopState.IDLE);
	}

	/**
	 * The lane of a stopped loop is closed.
	 */
	synchronized void closed() {
		this.held.laneClosed();
		enter(LoopState.CLOSED);
	}

	/**
	 * A transition that the table does not allow is made nevertheless: a loop that did
	 * not would never claim again.
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
	 * What the container wants of the loop.
	 */
	private enum Mode {

		CLAIMING, PAUSED, STOPPING

	}

}
