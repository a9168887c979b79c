package io.redelay.queue.listener;

import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;

import io.redelay.queue.store.ClaimLane;
import io.redelay.queue.store.ClaimReply;
import io.redelay.queue.store.ResumeReply;
import io.redelay.queue.store.Settlement;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

/**
 * The claim loop of a container on one queue. It has no thread of its own: each event
 * {@linkplain #signal() signals} it, and the next request goes out when none is under way
 * and there is something to settle, or room and a reason to claim. What is settled while
 * a request is under way goes with the next one. {@link LoopState} says what the loop is
 * doing, and {@link LoopMonitor} decides what it does next.
 * <p>
 * A loop that cannot keep up, because each of its claims is filled, calls a second one on
 * the same queue: while one waits for Redis, the handlers have what the other one
 * brought.
 * <p>
 * Safe for use by many threads.
 */
final class PollLoop implements DeliveryOwner, Permits.Claimant, SuspectAdmission.Applicant {

	private static final Log logger = LogFactory.getLog(PollLoop.class);

	private final String queue;

	private final LoopResources resources;

	private final Permits permits;

	private final SuspectPlaces suspectPlaces;

	private final MessageDispatcher dispatcher;

	private final boolean yields;

	/**
	 * The loop that helps this one, if there is one.
	 */
	private final @Nullable PollLoop help;

	private final ClaimLane lane;

	private final LaneRenewer renewer;

	private final LaneSubscription subscription;

	private final ClaimSender sender;

	private final LoopTimer timer;

	private final LoopMonitor monitor;

	private final CompletableFuture<Void> stopped = new CompletableFuture<>();

	PollLoop(DeliveryContext context, ContainerSettings.QueueSettings settings, LoopResources resources,
			Capacity capacity, MessageDispatcher dispatcher, PollTrigger trigger, @Nullable PollLoop help) {
		this.queue = context.queue();
		this.resources = resources;
		this.permits = capacity.permits();
		this.suspectPlaces = capacity.suspects();
		this.dispatcher = dispatcher;
		this.yields = trigger.yields();
		this.help = help;
		// The queue's name is made known by the loop that is helped.
		this.lane = new ClaimLane(resources.store(), this.queue, settings.leaseTime(), !trigger.yields(),
				resources.invariants());
		this.renewer = new LaneRenewer(this.lane, settings.leaseTime(), resources.scheduler(), this::check);
		this.subscription = new LaneSubscription(resources.wakeUps(), this::wakeUp);
		this.sender = new ClaimSender(this.lane, trigger, this.subscription);
		this.timer = new LoopTimer(resources.scheduler(),
				new ClaimRefusals(context.listener(), this.queue, resources.scheduler()),
				() -> this.stopped.complete(null));
		SuspectsInHand suspects = new SuspectsInHand(this, this.queue, resources.suspects(), capacity.suspects(),
				resources.scheduler(), settings.retries().maxAttempts() == 1);
		this.monitor = new LoopMonitor(context, this, this, trigger, capacity,
				new HeldMessages(this.lane, this.renewer), suspects, resources.scheduler(), resources.invariants());
	}

	@Override
	public String queue() {
		return this.queue;
	}

	@Override
	public boolean yields() {
		return this.yields;
	}

	@Override
	public CompletableFuture<Boolean> isCancelled(String uid) {
		return this.resources.store().isCancelled(this.queue, uid);
	}

	private void wakeUp() {
		this.monitor.wakeUp();
		signal();
	}

	private void look() {
		this.monitor.look();
		signal();
	}

	private void check() {
		this.monitor.check();
		signal();
	}

	@Override
	public void askAgain() {
		this.monitor.lookForSuspects();
		signal();
	}

	private void callHelp() {
		PollLoop called = this.help;
		if (called != null && this.monitor.needsHelp()) {
			called.monitor.call();
			called.signal();
		}
	}

	/**
	 * Claims no more, gives back what has not started, and lets what runs finish.
	 * @return completes when nothing is held any more and the lane is closed
	 */
	CompletableFuture<Void> stop() {
		this.monitor.stop();
		claimNoMore();
		return this.stopped;
	}

	/**
	 * Gives back what still runs, with nothing counted, and closes the lane: for an
	 * application that ends now, so that its end is not taken for a crash. What runs on
	 * nevertheless can be acknowledged while nobody else has it.
	 * @return completes when it is done
	 */
	CompletableFuture<Void> handBack() {
		this.monitor.handBack();
		signal();
		return this.stopped;
	}

	/**
	 * Claims no more until it is resumed, and gives back what has not started. A wake-up
	 * that comes meanwhile is passed on to another instance.
	 */
	void pause() {
		this.monitor.pause();
		claimNoMore();
	}

	private void claimNoMore() {
		this.resources.suspects().leave(this);
		giveBackUnstarted();
		signal();
	}

	/**
	 * Claims again.
	 */
	void resume() {
		this.monitor.resume();
		signal();
	}

	/**
	 * Gives back what waits for a handler. While a request is under way its reply does,
	 * as what it brings goes back behind that.
	 */
	private void giveBackUnstarted() {
		gather(() -> {
			if (!this.monitor.isBusy()) {
				giveBack(this.dispatcher.withdraw(this));
			}
		});
	}

	/**
	 * Gives back what waits for handlers that have become slow: all of it, and when no
	 * request is under way, as what stays or is claimed meanwhile would be handled before
	 * it.
	 */
	@Override
	public void giveBackStalled() {
		this.monitor.stalled();
		gather(this::giveBackIfStalled);
	}

	private void giveBackIfStalled() {
		if (this.monitor.takeStalled()) {
			giveBack(this.dispatcher.withdrawStalled(this));
		}
	}

	/**
	 * Gives deliveries back in one request, so that they keep their order.
	 */
	private void giveBack(List<Delivery> deliveries) {
		gather(() -> deliveries.forEach((delivery) -> delivery.giveBack(Duration.ZERO)));
	}

	@Override
	public void gather(Runnable settlements) {
		this.monitor.gather();
		try {
			settlements.run();
		}
		finally {
			this.monitor.gathered();
			signal();
			this.permits.tellOfRoom();
		}
	}

	@Override
	public boolean mayStart(Delivery delivery) {
		return this.monitor.mayStart(delivery) && this.renewer.isValid();
	}

	@Override
	public void settle(Delivery delivery, Settlement settlement) {
		release(this.monitor.settle(delivery, settlement));
		signal();
		this.permits.tellOfRoom();
	}

	/**
	 * What is held, waits for no handler, and is in no handler's hands.
	 */
	List<Delivery> inNobodysHands() {
		List<Delivery> all = this.monitor.deliveries();
		Set<Delivery> waiting = this.dispatcher.waiting();
		return all.stream()
			.filter((delivery) -> !delivery.isSettled() && !delivery.isInHands() && !waiting.contains(delivery))
			.toList();
	}

	/**
	 * Something may have changed: does what is to be done next, if anything is.
	 */
	@Override
	public void signal() {
		LoopStep step = this.monitor.next();
		if (step == null) {
			return;
		}
		PendingClaim request = step.request();
		if (request != null) {
			this.timer.cancel();
			this.sender.send(request).whenComplete((reply, failure) -> replied(request, reply, failure));
		}
		else if (step.state() == LoopState.CLOSING) {
			close();
		}
		else {
			releaseLane();
		}
	}

	private void replied(PendingClaim request, @Nullable ClaimReply reply, @Nullable Throwable failure) {
		if (failure != null) {
			failed(request, failure);
		}
		else if (reply != null) {
			switch (reply.status()) {
				case OK -> answered(request, reply);
				case DELETED -> lose(request);
				default -> resume(request, reply);
			}
		}
	}

	private void answered(PendingClaim request, ClaimReply reply) {
		try {
			dispatch(request, accept(request, reply));
			if (request.buries()) {
				this.resources.deaths().tell(this.queue);
			}
			callHelp();
		}
		finally {
			gather(this::becomeIdle);
			release(this.monitor.releaseSuspects(request, reply));
		}
	}

	private List<Delivery> accept(PendingClaim request, ClaimReply reply) {
		if (!reply.refused().isEmpty()) {
			logger.warn("The settlement of " + reply.refused().size() + " message(s) of the queue '" + this.queue
					+ "' came too late: the lease had run out, and they are delivered again: " + reply.refused());
		}
		AcceptedClaim accepted = this.monitor.accept(request, reply);
		Duration nextLook = accepted.nextLook();
		if (nextLook != null) {
			this.timer.set(this::look, nextLook);
		}
		return accepted.deliveries();
	}

	/**
	 * Has deliveries handled, or gives them back behind what has waited for longer. A
	 * suspect that may not be handled beside those that others have goes back in any
	 * case.
	 */
	private void dispatch(PendingClaim request, List<Delivery> deliveries) {
		if (!deliveries.isEmpty() && deliveries.get(0).isSuspect()
				&& !SuspectsInHand.isAdmitted(deliveries.get(0), request.suspect())) {
			giveBack(List.of(deliveries.remove(0)));
		}
		if (this.monitor.claimsNoMore()) {
			giveBack(this.dispatcher.withdraw(this));
			giveBack(deliveries);
		}
		else {
			this.dispatcher.dispatch(deliveries);
		}
	}

	/**
	 * The next request may go out, now that what this one brought is dispatched: sent
	 * earlier by another thread, it could be answered at once and its messages dispatched
	 * first.
	 */
	private void becomeIdle() {
		this.monitor.idle();
		if (this.monitor.claimsNoMore()) {
			giveBackUnstarted();
		}
		giveBackIfStalled();
	}

	private void failed(PendingClaim request, Throwable failure) {
		releaseReserved(request);
		this.monitor.failed(request);
		this.timer.setPause(failure, this::retry);
		this.permits.tellOfRoom();
	}

	private void retry() {
		this.monitor.retry();
		if (this.monitor.claimsNoMore()) {
			giveBackUnstarted();
		}
		signal();
	}

	/**
	 * Gives back what was reserved for a request that brings nothing.
	 */
	private void releaseReserved(PendingClaim request) {
		this.permits.release(this, request.wanted());
		if (request.suspect() != null) {
			this.suspectPlaces.release(this.queue);
			request.suspect().release();
		}
	}

	private static void release(List<SuspectAdmission.Ticket> tickets) {
		tickets.forEach(SuspectAdmission.Ticket::release);
	}

	/**
	 * The queue was deleted, with what was claimed from it.
	 */
	private void lose(PendingClaim request) {
		releaseReserved(request);
		this.subscription.change(null);
		release(this.monitor.lose(this.dispatcher.withdraw(this)));
		signal();
		this.permits.tellOfRoom();
	}

	/**
	 * Redis does not know the lane, or not its last requests: its lease ran out, or Redis
	 * went back in time. What has not started goes back; what runs, and what was settled
	 * and forgotten, is taken over by another lane.
	 */
	private void resume(PendingClaim request, ClaimReply reply) {
		this.monitor.resuming();
		giveBack(this.dispatcher.withdraw(this));
		releaseReserved(request);
		this.subscription.change(null);
		new LaneResumption(this.lane, this.monitor.recover(request, reply), this.resources.scheduler(), this.timer,
				this::resumed)
			.run();
		this.permits.tellOfRoom();
	}

	private void resumed(LaneRecovery recovery, ResumeReply reply, long sentNanos) {
		release(this.monitor.resumed(recovery, reply, sentNanos));
		recovery.tell(reply, this.resources.store().replayMemory());
		gather(this::becomeIdle);
	}

	private void close() {
		this.timer.close();
		this.subscription.change(null);
		this.lane.forget();
		this.lane.close().whenComplete((closed, failure) -> {
			this.monitor.closed();
			this.stopped.complete(null);
			signal();
		});
	}

	private void releaseLane() {
		this.lane.close().whenComplete((closed, failure) -> {
			this.monitor.laneReleased();
			signal();
		});
	}

}
