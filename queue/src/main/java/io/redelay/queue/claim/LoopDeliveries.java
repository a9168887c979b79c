package io.redelay.queue.claim;

import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;

import io.redelay.queue.handle.Delivery;
import io.redelay.queue.handle.DeliveryContext;
import io.redelay.queue.handle.DeliveryDispatcher;
import io.redelay.queue.handle.DeliveryOwner;
import io.redelay.queue.handle.TickGate;
import io.redelay.queue.invariant.Invariant;
import io.redelay.queue.message.Settlement;
import io.redelay.queue.notes.NotesWriter;
import io.redelay.queue.script.ClaimReply;
import io.redelay.queue.script.IsCancelledScript;
import io.redelay.queue.script.QueueScripts;
import io.redelay.queue.work.CancellationReason;
import org.jspecify.annotations.Nullable;

/**
 * The deliveries of a claim loop, from their claim to their settlement. They are passed
 * to the dispatcher, or go back to the queue while the loop does not claim. The loop
 * sends their settlements.
 * <p>
 * Safe for use by many threads.
 */
final class LoopDeliveries implements DeliveryOwner {

	private final Permits.Claimant loop;

	private final DeliveryContext context;

	private final ClaimRuntime claims;

	private final Permits permits;

	private final DeliveryDispatcher dispatcher;

	/**
	 * Its lock guards the state of this object, too.
	 */
	private final LoopStatus status;

	private final LoopLane lane;

	private final HeldMessages held;

	private final EarlyAcknowledgements first;

	private final SuspectsInHand suspects;

	private final TickGate ticks;

	/**
	 * How many threads are settling several deliveries each. The next request waits for
	 * all of them.
	 */
	private int gathering;

	/**
	 * Whether the deliveries that wait for a handler still have to go back, because
	 * handlers have become slow.
	 */
	private boolean stalled;

	LoopDeliveries(Permits.Claimant loop, DeliveryContext context, ClaimRuntime claims, Permits permits,
			DeliveryDispatcher dispatcher, LoopStatus status, LoopLane lane, SuspectsInHand suspects) {
		this.loop = loop;
		this.context = context;
		this.claims = claims;
		this.permits = permits;
		this.dispatcher = dispatcher;
		this.status = status;
		this.lane = lane;
		this.first = new EarlyAcknowledgements(status);
		this.held = new HeldMessages(lane.lane(), lane.renewer(), this.first);
		this.suspects = suspects;
		this.ticks = new TickGate(claims.ticks(), context.codec());
	}

	/**
	 * Returns the messages that are held, and the settlements that Redis does not have
	 * yet. Guarded by the loop's lock.
	 */
	HeldMessages held() {
		return this.held;
	}

	@Override
	public QueueScripts store() {
		return this.claims.scripts();
	}

	@Override
	public NotesWriter notes() {
		return this.lane.notes();
	}

	@Override
	public void lost(Delivery delivery) {
		this.lane.cancellations().turn(List.of(delivery), CancellationReason.LEASE_LOST);
	}

	@Override
	public CompletableFuture<Boolean> isCancelled(String uid) {
		return new IsCancelledScript(this.claims.scripts().runner()).run(this.context.partition(), List.of(uid))
			.thenApply((cancelled) -> cancelled.contains(uid));
	}

	/**
	 * Returns the deliveries that are not settled.
	 */
	List<Delivery> all() {
		return this.status.change(this.held::deliveries);
	}

	/**
	 * Returns the deliveries that do not wait for a handler, and that no invocation of a
	 * handler works on.
	 */
	List<Delivery> unattended() {
		List<Delivery> all = all();
		Set<Delivery> waiting = this.dispatcher.waiting();
		return all.stream()
			.filter((delivery) -> !delivery.isSettled() && !delivery.isInHands() && !delivery.isBehind()
					&& !waiting.contains(delivery))
			.toList();
	}

	/**
	 * Records that Redis has carried out a request that may have acknowledged messages
	 * before their handling. Guarded by the loop's lock.
	 */
	void acknowledged(PendingClaim request, ClaimReply reply) {
		this.first.answered(request.settlements(), reply.refused());
	}

	/**
	 * Creates the deliveries of a reply. Guarded by the loop's lock.
	 */
	List<Delivery> create(ClaimReply reply) {
		List<Delivery> claimed = new ArrayList<>(reply.messages().size());
		long now = this.claims.scheduler().nanoTime();
		Map<String, Delivery> lastOfRows = Map.of();
		int behind = 0;
		for (ClaimReply.Message message : reply.messages()) {
			Delivery delivery = new Delivery(this, this.context, message, this.held.epoch(), reply.time(), now);
			if (message.rowOf() != null) {
				lastOfRows = lastOfRows.isEmpty() ? byUid(claimed) : lastOfRows;
				Delivery previous = lastOfRows.put(message.rowOf(), delivery);
				if (previous != null) {
					delivery.follow(previous);
					behind++;
				}
			}
			claimed.add(delivery);
		}
		if (behind > 0) {
			this.permits.addBehind(behind);
		}
		return claimed;
	}

	private static Map<String, Delivery> byUid(List<Delivery> deliveries) {
		Map<String, Delivery> byUid = new HashMap<>();
		deliveries.forEach((delivery) -> byUid.put(delivery.uid(), delivery));
		return byUid;
	}

	/**
	 * Returns how many of the deliveries take room: those that are to be handled after
	 * another one of their ordering key have its room then.
	 */
	int inRoom(List<Delivery> deliveries) {
		int count = 0;
		for (Delivery delivery : deliveries) {
			count += delivery.isBehind() ? 0 : 1;
		}
		return count;
	}

	/**
	 * Passes deliveries to the dispatcher. If the loop claims no more, they go back
	 * instead, behind those that have waited for longer. In both cases a suspect goes
	 * back that may not be handled at the same time as the suspects of other loops.
	 */
	void dispatch(PendingClaim request, List<Delivery> claimed) {
		claimed.removeIf(Delivery::isBehind);
		if (!claimed.isEmpty() && claimed.get(0).isSuspect()
				&& !this.suspects.isAdmitted(claimed.get(0), request.suspect())) {
			giveBack(List.of(claimed.remove(0)));
		}
		if (this.status.isClaiming()) {
			this.dispatcher.dispatch(this.ticks.pass(this.context.partition(), claimed, this::dispatchTick));
		}
		else {
			giveBackWaiting();
			giveBack(claimed);
		}
	}

	/**
	 * Passes the message of a tick to the dispatcher after it was held back, unless the
	 * loop claims no more.
	 */
	private void dispatchTick(Delivery tick) {
		if (!this.status.isClaiming()) {
			tick.giveBack();
			return;
		}
		this.dispatcher.dispatch(List.of(tick));
		if (!this.status.isClaiming()) {
			giveBackUnstarted();
		}
	}

	@Override
	public boolean mayStart(Delivery delivery) {
		return this.status.isClaiming() && this.held.isCurrent(delivery) && this.lane.renewer().isValid();
	}

	@Override
	public void settle(Delivery delivery, Settlement settlement) {
		Delivery next = this.status.change(() -> add(delivery, settlement));
		boolean ended = settlement.isEnd();
		if (ended) {
			this.permits.pace().ended();
		}
		if (next != null) {
			goOn(next, ended);
		}
		if (settlement.action() == Settlement.Action.WAIT) {
			// The other deliveries would most likely have to wait as well.
			giveBackStalled();
		}
		signal();
	}

	/**
	 * Passes the next delivery of an ordering key to the dispatcher, now that the one
	 * before it is settled. If that one has not ended, the next ones go back: they are
	 * claimed again after it. The last one goes first: if they do not fit in one request,
	 * none comes back before those that are to be handled before it.
	 */
	private void goOn(Delivery next, boolean ended) {
		if (!ended) {
			this.permits.pace().rowFailed();
		}
		if (!ended || !this.status.isClaiming()) {
			List<Delivery> row = new ArrayList<>();
			for (Delivery each = next; each != null; each = each.next()) {
				row.add(each);
			}
			Collections.reverse(row);
			giveBack(row);
			return;
		}
		this.dispatcher.dispatch(List.of(next));
		if (!this.status.isClaiming()) {
			giveBackUnstarted();
		}
	}

	/**
	 * Adds a settlement to those that the loop sends.
	 * @return the delivery that has the turn of the ordering key then, and the room, or
	 * {@code null} if there is none
	 */
	private @Nullable Delivery add(Delivery delivery, Settlement settlement) {
		Delivery next = null;
		if (this.held.settle(delivery, settlement)) {
			next = passTurn(delivery);
		}
		else {
			this.status.violated(Invariant.HELD_MESSAGE,
					"the message '" + delivery.uid() + "' is settled with " + settlement.action() + " and not held; "
							+ this.held.count() + " messages are, and the loop is " + this.status.state());
		}
		if (!this.held.isCurrent(delivery)) {
			this.suspects.settled(settlement);
		}
		return next;
	}

	/**
	 * Passes the turn of the ordering key, and the room, to the next delivery that is not
	 * settled, or releases the room. A delivery that is settled before its turn has no
	 * room.
	 */
	private @Nullable Delivery passTurn(Delivery delivery) {
		if (delivery.isBehind()) {
			this.permits.addBehind(-1);
			return null;
		}
		Delivery next = delivery.next();
		while (next != null && !this.held.holds(next)) {
			next = next.next();
		}
		if (next == null) {
			release(delivery);
		}
		else {
			next.takeTurn(this.claims.scheduler().nanoTime());
			this.permits.addBehind(-1);
		}
		return next;
	}

	/**
	 * Releases the room of a delivery that was dropped, because its queue was deleted.
	 * Guarded by the loop's lock.
	 */
	void dropped(Delivery delivery) {
		if (delivery.isBehind()) {
			this.permits.addBehind(-1);
		}
		else {
			release(delivery);
		}
	}

	/**
	 * Releases the room of a delivery that is not held any more. Guarded by the loop's
	 * lock.
	 */
	private void release(Delivery delivery) {
		if (!this.first.keepsRoom(delivery)) {
			this.permits.release(this.loop, 1);
		}
		if (delivery.isSuspect()) {
			this.permits.releaseSuspect(this.context.queue());
		}
	}

	/**
	 * Has the loop send settlements, and lets it and others claim.
	 */
	private void signal() {
		this.loop.signal();
		this.permits.signalRoom(this.loop);
	}

	/**
	 * Acknowledges a message before its handling, or gives it back if its lane is gone or
	 * is being replaced, as it would be unknown whether the acknowledgement counts.
	 */
	@Override
	public CompletableFuture<Boolean> acknowledgeFirst(Delivery delivery, Settlement acknowledgement) {
		CompletableFuture<Boolean> answer = this.status.change(() -> {
			boolean lasts = this.status.state() != LoopState.RESUMING && this.held.isCurrent(delivery)
					&& !this.held.isHandedBack();
			CompletableFuture<Boolean> future = lasts ? this.first.add(delivery)
					: CompletableFuture.completedFuture(false);
			add(delivery, lasts ? acknowledgement : delivery.givenBack());
			return future;
		});
		signal();
		return answer;
	}

	@Override
	public void handled(Delivery delivery) {
		if (this.status.change(() -> this.first.ended(delivery))) {
			this.permits.release(this.loop, 1);
			signal();
		}
	}

	@Override
	public void gather(Runnable settlements) {
		synchronized (this.status) {
			this.gathering++;
		}
		try {
			settlements.run();
		}
		finally {
			synchronized (this.status) {
				this.gathering--;
			}
			signal();
		}
	}

	/**
	 * Returns whether threads are settling several deliveries each, so that the next
	 * request has to wait. Guarded by the loop's lock.
	 */
	boolean isGathering() {
		return this.gathering > 0;
	}

	/**
	 * Gives back the deliveries that wait for a handler. If a request is under way, this
	 * method does nothing: the loop gives them back after the reply, so that the messages
	 * of the reply go back behind those that have waited for longer.
	 */
	void giveBackUnstarted() {
		gather(() -> {
			if (!this.status.isBusy()) {
				giveBackWaiting();
			}
		});
	}

	/**
	 * Gives back the deliveries that wait for a handler.
	 */
	void giveBackWaiting() {
		giveBack(withdraw());
	}

	/**
	 * Removes the deliveries that wait for a handler from the dispatcher, and returns
	 * those that wait for their turn, the last one first, and then them. None of them has
	 * its turn any more.
	 */
	List<Delivery> withdraw() {
		List<Delivery> withdrawn = withdrawBehind();
		withdrawn.addAll(this.dispatcher.withdraw(this));
		return withdrawn;
	}

	/**
	 * Returns the deliveries that wait for their turn, the last one first. A delivery
	 * that is settled from now on, before these are, passes its turn to none of them.
	 */
	private List<Delivery> withdrawBehind() {
		List<Delivery> behind = new ArrayList<>();
		this.status.change(() -> {
			for (Delivery delivery : this.held.deliveries()) {
				delivery.endRow();
				if (delivery.isBehind()) {
					behind.add(delivery);
				}
			}
		});
		Collections.reverse(behind);
		return behind;
	}

	/**
	 * Gives back the deliveries that wait for handlers which have become slow. All of
	 * them go back together, and only while no request is under way: a delivery that
	 * stayed, or that the reply brought, would be handled before those that went back.
	 */
	@Override
	public void giveBackStalled() {
		this.status.change(() -> this.stalled = true);
		gather(this::giveBackIfStalled);
	}

	/**
	 * Gives back the deliveries that wait for slow handlers, if that was not possible
	 * before.
	 */
	void giveBackIfStalled() {
		boolean due = this.status.change(() -> {
			boolean now = this.stalled && !this.status.isBusy();
			this.stalled &= !now;
			return now;
		});
		if (due) {
			List<Delivery> withdrawn = withdrawBehind();
			withdrawn.addAll(this.dispatcher.withdrawStalled(this));
			giveBack(withdrawn);
		}
	}

	/**
	 * Forgets that deliveries wait for slow handlers, as all go back. Guarded by the
	 * loop's lock.
	 */
	void forgetStalled() {
		this.stalled = false;
	}

	/**
	 * Gives deliveries back in one request, so that they keep their order.
	 */
	private void giveBack(List<Delivery> deliveries) {
		gather(() -> deliveries.forEach(Delivery::giveBack));
	}

}
