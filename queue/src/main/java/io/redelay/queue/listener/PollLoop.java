package io.redelay.queue.listener;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;

import io.redelay.queue.CancellationReason;
import io.redelay.queue.LeaseLostEvent;
import io.redelay.queue.store.ClaimReply;
import io.redelay.queue.store.Settlement;
import io.redelay.queue.store.DelayQueueStore;
import io.redelay.queue.store.redis.ResumeScript;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

/**
 * The claim loop of a container on one partition of a queue: it claims messages, passes
 * them to the {@link MessageDispatcher}, and sends their settlements to Redis. The loop
 * has no thread of its own. Each event {@linkplain #signal() signals} the loop, and it
 * sends the next request if no request is under way and if there are settlements to send,
 * or room for messages and a reason to claim. A settlement that is made while a request
 * is under way is sent with the next one. {@link LoopState} lists the states of the loop,
 * and {@link LoopMonitor} decides its next step.
 * <p>
 * The way of a message through this class: {@code signal} sends the request,
 * {@code replied} and {@code answered} receive its reply, {@code accept} makes deliveries
 * of its messages, and {@code dispatch} passes these to the dispatcher. The settlement
 * comes back to {@code settle}, and {@code signal} sends it.
 * <p>
 * A loop cannot keep up if each of its claims is filled. It then calls a second loop on
 * the same queue: while one loop waits for Redis, the handlers have the messages of the
 * other one.
 * <p>
 * Safe for use by many threads.
 */
final class PollLoop implements DeliveryOwner, Permits.Claimant, SuspectAdmission.Applicant, LaneListener {

	private static final Log logger = LogFactory.getLog(PollLoop.class);

	/**
	 * The queue as the store knows it: a partition.
	 */
	private final String queue;

	/**
	 * The queue that {@link #queue} is a partition of.
	 */
	private final String logicalQueue;

	private final String listener;

	private final LoopResources resources;

	private final Permits permits;

	private final SuspectPlaces suspectPlaces;

	private final DeliveryDispatcher dispatcher;

	private final boolean yields;

	/**
	 * The second loop on the queue, which this loop calls when it cannot keep up;
	 * {@code null} if there is none.
	 */
	private final @Nullable PollLoop help;

	/**
	 * Shared with the loop that helps this one.
	 */
	private final RetryTimes retries;

	private final ClaimLane lane;

	private final CancellationWatch cancellations;

	private final LaneRenewer renewer;

	private final WorkRecordWriter work;

	private final LaneSubscription subscription;

	private final ClaimSender sender;

	private final LoopTimer timer;

	private final LoopMonitor monitor;

	private final TickGate ticks;

	private final ClaimTimes claimTimes;

	private final CompletableFuture<Void> stopped = new CompletableFuture<>();

	/**
	 * Whether the loop is scheduled to ask whether its gate is open.
	 */
	private final AtomicBoolean askingAgain = new AtomicBoolean();

	/**
	 * Whether limits of the queue were set for all instances at the last claim. Requests
	 * of a loop are answered one after the other.
	 */
	private volatile boolean limited;

	private final Runnable gateChanged = this::signal;

	private final Runnable mayHaveGoneBack = this::redisIsBack;

	PollLoop(DeliveryContext context, ContainerSettings.QueueSettings settings, LoopResources resources,
			Capacity capacity, DeliveryDispatcher dispatcher, PollTrigger trigger, @Nullable PollLoop help) {
		this.queue = context.partition();
		this.logicalQueue = context.queue();
		this.listener = context.listener();
		this.resources = resources;
		this.permits = capacity.permits();
		this.suspectPlaces = capacity.suspects();
		this.dispatcher = dispatcher;
		this.yields = trigger.yields();
		this.help = help;
		this.retries = (help != null) ? help.retries : new RetryTimes();
		// The first loop on a queue registers the queue's name, the second one does not.
		this.lane = new ClaimLane(resources.scripts(), this.queue, settings.leaseTime(), settings.limits(),
				!trigger.yields(), this.retries, resources.invariants());
		this.cancellations = new CancellationWatch(this.queue, resources.scripts().isCancelled(), resources.scheduler(),
				this::deliveries);
		this.renewer = new LaneRenewer(this.lane, settings.leaseTime(), resources.scheduler(), this::check,
				this.cancellations);
		this.work = new WorkRecordWriter(context.listener(), resources.work(), settings.leaseTime(),
				this.lane::keepWork, this.renewer, resources.scheduler(), this::check);
		this.ticks = new TickGate(resources.ticks(), context.codec());
		this.claimTimes = new ClaimTimes(resources.scheduler());
		this.subscription = new LaneSubscription(resources.wakeUps(), this);
		this.sender = new ClaimSender(this.lane, trigger, this.subscription);
		this.timer = new LoopTimer(resources.scheduler(),
				new ClaimRefusals(context.listener(), this.queue, resources.scheduler()),
				() -> this.stopped.complete(null));
		SuspectsInHand suspects = new SuspectsInHand(this, this.queue, resources.suspects(), capacity.suspects(),
				resources.scheduler(), settings.retries().maxAttempts() == 1);
		this.monitor = new LoopMonitor(context, this, this, trigger, capacity,
				new HeldMessages(this.lane, this.renewer), suspects, resources.scheduler(), resources.invariants());
		resources.gates().add(this.gateChanged);
		resources.scripts().replayMemory().watch(this.mayHaveGoneBack);
	}

	@Override
	public String queue() {
		return this.queue;
	}

	@Override
	public DelayQueueStore store() {
		return this.resources.scripts();
	}

	@Override
	public WorkKeeper work() {
		return this.work;
	}

	@Override
	public void lost(Delivery delivery) {
		this.cancellations.turn(List.of(delivery), CancellationReason.LEASE_LOST);
	}

	/**
	 * Returns when the loop was last given messages, or began.
	 */
	long lastGivenNanos() {
		return this.monitor.lastGivenNanos();
	}

	@Override
	public boolean yields() {
		return this.yields;
	}

	@Override
	public CompletableFuture<Boolean> isCancelled(String uid) {
		return this.resources.scripts()
			.isCancelled()
			.run(this.queue, List.of(uid))
			.thenApply((cancelled) -> cancelled.contains(uid));
	}

	/**
	 * Wakes the loop up. A loop that only helps another one is not put to sleep.
	 */
	@Override
	public void wakeUp() {
		if (!this.yields) {
			this.monitor.wakeUp();
			signal();
		}
	}

	@Override
	public void cancelled(String uid) {
		this.cancellations.cancelled(uid);
	}

	@Override
	public void mayHaveMissed() {
		wakeUp();
		this.cancellations.ask();
	}

	private List<Delivery> deliveries() {
		return this.monitor.deliveries();
	}

	/**
	 * Claims at once if there is room, for a receiver that has begun to wait for
	 * messages.
	 */
	void lookNow() {
		look();
	}

	private void look() {
		this.monitor.look();
		signal();
	}

	private void occupied() {
		this.monitor.occupied();
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

	/**
	 * Returns the queue that the loop claims from, or whose partition it claims from.
	 */
	String logicalQueue() {
		return this.logicalQueue;
	}

	/**
	 * Returns whether a gate of this instance is closed, so that the loop claims nothing.
	 */
	boolean isGated() {
		return this.monitor.isGated();
	}

	/**
	 * Returns the state of the loop's claims. A loop that helps another one rests after a
	 * failure until it is called, so only the other one shows that Redis is silent.
	 */
	ContainerState.Claims claims() {
		ContainerState.Claims claims = this.claimTimes.state();
		return this.yields ? claims.answered() : claims;
	}

	/**
	 * Returns how many messages the loop holds.
	 */
	int held() {
		return this.monitor.deliveries().size();
	}

	private void callHelp() {
		PollLoop called = this.help;
		if (called != null && this.permits.areSeveral() && this.monitor.needsHelp()) {
			called.monitor.call();
			called.signal();
		}
	}

	/**
	 * Stops claiming, gives back the deliveries whose handling has not started, signals
	 * running handlers that they may end, and lets them finish.
	 * @return a future that completes when the loop holds no message any more and the
	 * lane is closed
	 */
	CompletableFuture<Void> stop() {
		this.monitor.stop();
		claimNoMore();
		this.cancellations.turn(this.monitor.inHand(), CancellationReason.SHUTDOWN);
		return this.stopped;
	}

	/**
	 * Gives back the messages whose handlers still run, without counting an attempt, and
	 * closes the lane. The container calls this when handlers still run at the end of the
	 * time that it has for stopping, so that the end of the application does not count as
	 * a crash. A handler that runs on can still acknowledge its message as long as no
	 * other lane holds the message.
	 * @return a future that completes when the messages are given back and the lane is
	 * closed
	 */
	CompletableFuture<Void> handBack() {
		this.work.flush().thenRun(() -> {
			this.monitor.handBack();
			this.cancellations.turn(this.monitor.deliveries(), CancellationReason.LEASE_LOST);
			signal();
		});
		return this.stopped;
	}

	/**
	 * Returns whether the loop is stopped and has sent all its settlements to Redis.
	 */
	boolean hasToldAll() {
		return this.monitor.hasToldAll();
	}

	/**
	 * Stops claiming until {@link #resume()} is called, and gives back the deliveries
	 * whose handling has not started. The loop passes a wake-up that arrives in the
	 * meantime to another instance.
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
	 * Resumes claiming after {@link #pause()}.
	 */
	void resume() {
		this.monitor.resume();
		signal();
	}

	/**
	 * Gives back the deliveries that wait for a handler. If a request is under way, this
	 * method does nothing: the loop gives them back after the reply, so that the messages
	 * of the reply go back behind those that have waited for longer.
	 */
	private void giveBackUnstarted() {
		gather(() -> {
			if (!this.monitor.isBusy()) {
				giveBack(this.dispatcher.withdraw(this));
			}
		});
	}

	/**
	 * Gives back the deliveries that wait for handlers which have become slow. The loop
	 * gives back all of them together, and only while no request is under way: a delivery
	 * that stayed, or that the reply brought, would be handled before those that went
	 * back.
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
		gather(() -> deliveries.forEach((delivery) -> delivery.giveBack()));
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
			this.permits.signalRoom();
		}
	}

	@Override
	public boolean mayStart(Delivery delivery) {
		return this.monitor.mayStart(delivery) && this.renewer.isValid();
	}

	@Override
	public void settle(Delivery delivery, Settlement settlement) {
		release(this.monitor.settle(delivery, settlement));
		if (settlement.action() == Settlement.Action.WAIT) {
			// The other deliveries would most likely have to wait as well.
			giveBackStalled();
		}
		signal();
		this.permits.signalRoom();
	}

	@Override
	public CompletableFuture<Boolean> acknowledgeFirst(Delivery delivery, Settlement acknowledgement) {
		List<Runnable> afterwards = new ArrayList<>();
		CompletableFuture<Boolean> answer = this.monitor.acknowledgeFirst(delivery, acknowledgement, afterwards::add);
		afterwards.forEach(Runnable::run);
		signal();
		this.permits.signalRoom();
		return answer;
	}

	@Override
	public void handled(Delivery delivery) {
		if (this.monitor.handled(delivery)) {
			signal();
			this.permits.signalRoom();
		}
	}

	/**
	 * Returns the deliveries that the loop holds, that do not wait for a handler, and
	 * that no invocation of a handler works on.
	 */
	List<Delivery> unattended() {
		List<Delivery> all = this.monitor.deliveries();
		Set<Delivery> waiting = this.dispatcher.waiting();
		return all.stream()
			.filter((delivery) -> !delivery.isSettled() && !delivery.isInHands() && !waiting.contains(delivery))
			.toList();
	}

	/**
	 * Carries out the step that is due now, if there is one: sends a request, closes the
	 * lane of a stopped loop, or closes the lane of a helping loop that has nothing to
	 * do. Called after each event that may have made a step due.
	 */
	@Override
	public void signal() {
		askGates();
		LoopStep step = this.monitor.next();
		if (step == null) {
			return;
		}
		PendingClaim request = step.request();
		if (request != null) {
			this.timer.cancel();
			this.resources.idle().remove(this);
			this.claimTimes.sent();
			this.sender.send(request).whenComplete((reply, failure) -> replied(request, reply, failure));
		}
		else if (step.state() == LoopState.CLOSING) {
			close();
		}
		else {
			releaseLane();
		}
	}

	/**
	 * Asks whether the gates of this instance are open. If one has been closed, the loop
	 * gives back the deliveries whose handling has not started.
	 */
	private void askGates() {
		if (this.resources.gates().isEmpty()) {
			return;
		}
		boolean open = this.resources.gates().isOpen(this.listener, this.logicalQueue);
		if (this.monitor.gate(open) && !open) {
			this.resources.suspects().leave(this);
			giveBackUnstarted();
		}
		if (!open && !this.stopped.isDone() && this.askingAgain.compareAndSet(false, true)) {
			if (this.resources.scheduler().schedule(this::askGatesAgain, LocalGates.ASK_AGAIN) == null) {
				this.askingAgain.set(false);
			}
		}
	}

	private void askGatesAgain() {
		this.askingAgain.set(false);
		signal();
	}

	private void replied(PendingClaim request, @Nullable ClaimReply reply, @Nullable Throwable failure) {
		if (failure != null) {
			this.claimTimes.failed();
			failed(request, failure);
		}
		else if (reply != null) {
			this.claimTimes.answered(this.resources.scheduler().nanoTime() - request.sentNanos());
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
			if (request.wanted() > 0) {
				this.claimTimes.limited(reply.limitedBy());
				this.dispatcher.answered(this);
			}
			if (request.buries()) {
				this.resources.deaths().tell(this.queue);
			}
			if (reply.hasNotes()) {
				this.resources.outboxes().look(this.queue);
			}
			heedLimits(reply.limited());
			if (!reply.limited()) {
				callHelp();
			}
		}
		finally {
			request.tell(reply);
			gather(this::becomeIdle);
			release(this.monitor.releaseSuspects(request, reply));
			this.monitor.acknowledgedFirst(request, reply).forEach(Runnable::run);
		}
	}

	/**
	 * Claims nothing ahead of the handlers while limits of the queue are set for all
	 * instances.
	 */
	private void heedLimits(boolean set) {
		if (set != this.limited) {
			this.limited = set;
			this.permits.limit(this, set);
		}
	}

	private List<Delivery> accept(PendingClaim request, ClaimReply reply) {
		if (!reply.refused().isEmpty()) {
			logger.warn("The settlement of " + reply.refused().size() + " message(s) of the queue '" + this.queue
					+ "' came too late, and they are delivered again: the lease had run out, or another run of a recurring message "
					+ "has saved its state: " + reply.refused());
		}
		if (!reply.moves().cancelled().isEmpty()) {
			tellCancelled(request, reply.moves().cancelled());
		}
		AcceptedClaim accepted = this.monitor.accept(request, reply);
		this.cancellations.claimed(accepted.deliveries());
		Duration nextLook = accepted.nextLook();
		if (nextLook != null) {
			this.timer.set(this::look, nextLook);
		}
		if (accepted.watched()) {
			this.resources.idle().add(this, this.queue, this::occupied);
		}
		return accepted.deliveries();
	}

	private void tellCancelled(PendingClaim request, Set<String> cancelled) {
		for (Settlement settlement : request.settlements()) {
			if (cancelled.contains(settlement.uid())) {
				logger.info("The message '" + settlement.uid() + "' of the queue '" + this.queue
						+ "' was cancelled while it was in hand, and has ended, in place of " + settlement.action());
			}
		}
	}

	/**
	 * Passes deliveries to the dispatcher. If the loop claims no more, it gives them back
	 * instead, behind those that have waited for longer. In both cases it gives back a
	 * suspect that may not be handled at the same time as the suspects of other loops.
	 */
	private void dispatch(PendingClaim request, List<Delivery> deliveries) {
		if (!deliveries.isEmpty() && deliveries.get(0).claim().isSuspect()
				&& !SuspectsInHand.isAdmitted(deliveries.get(0), request.suspect())) {
			giveBack(List.of(deliveries.remove(0)));
		}
		if (this.monitor.claimsNoMore()) {
			giveBack(this.dispatcher.withdraw(this));
			giveBack(deliveries);
		}
		else {
			this.dispatcher.dispatch(this.ticks.pass(this.queue, deliveries, this::dispatchTick));
		}
	}

	/**
	 * Passes the message of a tick to the dispatcher after it was held back, unless the
	 * loop claims no more.
	 */
	private void dispatchTick(Delivery tick) {
		if (this.monitor.claimsNoMore()) {
			tick.giveBack();
			return;
		}
		this.dispatcher.dispatch(List.of(tick));
		if (this.monitor.claimsNoMore()) {
			giveBackUnstarted();
		}
	}

	/**
	 * Allows the next request, now that the messages of this reply are dispatched. If
	 * another thread could send the next request earlier, its reply could come at once,
	 * and its messages could be dispatched before these.
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
		this.dispatcher.failed(failure);
		this.timer.setPause(failure, this::retry);
		this.permits.signalRoom();
	}

	private void retry() {
		this.monitor.retry();
		if (this.monitor.claimsNoMore()) {
			giveBackUnstarted();
		}
		signal();
	}

	/**
	 * Releases the room for messages and the suspect ticket that were reserved for a
	 * request which brings no messages.
	 */
	private void releaseReserved(PendingClaim request) {
		this.permits.answered(this, request.wanted(), 0);
		this.permits.withdraw(this);
		this.dispatcher.startMore();
		if (request.suspect() != null) {
			this.suspectPlaces.release(this.queue);
			request.suspect().release();
		}
	}

	private static void release(List<SuspectAdmission.Ticket> tickets) {
		tickets.forEach(SuspectAdmission.Ticket::release);
	}

	/**
	 * Handles the deletion of the queue, which has also removed the messages that the
	 * loop holds.
	 */
	private void lose(PendingClaim request) {
		releaseReserved(request);
		this.subscription.change(null);
		List<Runnable> afterwards = new ArrayList<>();
		this.monitor.lose(this.dispatcher.withdraw(this), afterwards::add);
		this.cancellations.turn(this.monitor.lost(), CancellationReason.LEASE_LOST);
		afterwards.forEach(Runnable::run);
		signal();
		this.permits.signalRoom();
	}

	/**
	 * Handles a reply that says that Redis does not know the lane, or not its last
	 * requests: the lease has expired, or Redis went back in time. The loop gives back
	 * the deliveries whose handling has not started. A new lane takes over the messages
	 * whose handlers run, and the settlements that Redis has forgotten.
	 */
	private void resume(PendingClaim request, ClaimReply reply) {
		this.monitor.resuming();
		giveBack(this.dispatcher.withdraw(this));
		releaseReserved(request);
		this.subscription.change(null);
		List<Runnable> afterwards = new ArrayList<>();
		LaneHandover recovery = this.monitor.recover(request, reply, afterwards::add);
		new LaneResumer(this.lane, recovery, this.resources.scheduler(), this.timer, this::resumed).run();
		afterwards.forEach(Runnable::run);
		this.permits.signalRoom();
	}

	private void resumed(LaneHandover recovery, ResumeScript.Reply reply, long sentNanos) {
		release(this.monitor.resumed(recovery, reply, sentNanos));
		if (recovery.wentBack()) {
			writeWorkAgain();
		}
		this.work.resumed();
		this.cancellations.turn(this.monitor.lost(), CancellationReason.LEASE_LOST);
		this.subscription.change(this.lane.name());
		// Finds messages that were cancelled while Redis knew no lane of the loop by its
		// name.
		this.cancellations.ask();
		recovery.tell(reply, this.resources.scripts().replayMemory());
		gather(this::becomeIdle);
		LeaseLostEvent lost = recovery.leaseLost(this.logicalQueue, reply);
		if (lost != null) {
			this.resources.leases().accept(lost);
		}
	}

	/**
	 * Called when Redis answers again: it may have gone back in time. See
	 * {@link LaneRenewer#renewNow}.
	 */
	private void redisIsBack() {
		writeWorkAgain();
		this.renewer.renewNow();
	}

	/**
	 * Has the work records of the handlers written again. A lane that only wrote since
	 * then has the number of its last request, and does not learn that Redis went back in
	 * time.
	 */
	private void writeWorkAgain() {
		this.monitor.deliveries()
			.stream()
			.map(Delivery::workIfAny)
			.filter(Objects::nonNull)
			.forEach(HandlerWork::forget);
	}

	private void close() {
		this.timer.close();
		this.resources.idle().remove(this);
		this.resources.gates().remove(this.gateChanged);
		this.resources.scripts().replayMemory().unwatch(this.mayHaveGoneBack);
		this.subscription.change(null);
		this.work.close();
		this.lane.forget();
		this.lane.close().whenComplete((closed, failure) -> {
			List<Runnable> afterwards = new ArrayList<>();
			this.monitor.closed(afterwards::add);
			afterwards.forEach(Runnable::run);
			this.stopped.complete(null);
			signal();
		});
	}

	private void releaseLane() {
		this.subscription.change(null);
		this.lane.close().whenComplete((closed, failure) -> {
			this.monitor.laneReleased();
			signal();
		});
	}

}
