package io.redelay.queue.claim;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Supplier;

import io.redelay.log.PlainLog;
import io.redelay.queue.event.LeaseLostEvent;
import io.redelay.queue.handle.ContainerSettings;
import io.redelay.queue.handle.Delivery;
import io.redelay.queue.handle.DeliveryContext;
import io.redelay.queue.handle.DeliveryDispatcher;
import io.redelay.queue.message.Settlement;
import io.redelay.queue.script.ClaimReply;
import io.redelay.queue.script.ClaimRequest;
import io.redelay.queue.script.ResumeScript;
import io.redelay.queue.work.CancellationReason;
import io.redelay.scheduling.AsyncCall;
import io.redelay.scheduling.Scheduler;
import org.apache.commons.logging.Log;
import org.jspecify.annotations.Nullable;

/**
 * The claim loop of a container on one partition of a queue: it claims messages, and
 * sends their settlements to Redis. The loop has no thread of its own. Each event
 * {@linkplain #signal() signals} the loop, and it sends the next request if no request is
 * under way and if there are settlements to send, or room for messages and a reason to
 * claim. A settlement that is made while a request is under way is sent with the next
 * one. {@link LoopState} lists the states of the loop.
 * <p>
 * The loop knows requests; its {@link LoopDeliveries} know the messages that the requests
 * bring, and {@link LoopStatus} whether the loop may claim. The methods on the way of a
 * message stand first, in the order of their calls: from {@link #signal()}, which sends a
 * request, to the deliveries that are made of its reply. {@link LoopDeliveries} passes
 * these to the {@code MessageDispatcher}. The settlement comes back there, and
 * {@code signal} sends it.
 * <p>
 * A loop cannot keep up if each of its claims is filled. It then calls a second loop on
 * the same queue: while one loop waits for Redis, the handlers have the messages of the
 * other one.
 * <p>
 * Safe for use by many threads.
 */
final class PollLoop implements Permits.Claimant, SuspectAdmission.Applicant, WakeUps.Listener {

	private static final Log logger = PlainLog.of(PollLoop.class);

	/**
	 * How large the messages of a claim are together at most.
	 */
	private static final int MAX_BYTES = 4 * 1024 * 1024;

	/**
	 * The queue as the store knows it: a partition.
	 */
	private final String queue;

	private final DeliveryContext context;

	private final ListenerRuntime runtime;

	private final ClaimRuntime claims;

	private final Scheduler scheduler;

	private final Permits permits;

	private final DeliveryDispatcher dispatcher;

	/**
	 * The second loop on the queue, which this loop calls when it cannot keep up;
	 * {@code null} if there is none.
	 */
	private final @Nullable PollLoop help;

	/**
	 * Shared with the loop that helps this one.
	 */
	private final ClaimLane.RetryTimes retries;

	private final PollTrigger trigger;

	private final SuspectsInHand suspects;

	/**
	 * Its lock guards the state of the loop.
	 */
	private final LoopStatus status;

	private final LoopLane lane;

	private final LoopDeliveries deliveries;

	/**
	 * Guarded by the loop's lock.
	 */
	private final HeldMessages held;

	private final WakeUps.Subscription subscription;

	private final LoopTimer timer;

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

	/**
	 * When the loop was last given messages, or began.
	 */
	private volatile long lastGivenNanos;

	private final Supplier<@Nullable Runnable> nextStep = this::next;

	private final Runnable gateChanged = this::signal;

	private final Runnable mayHaveGoneBack = this::redisIsBack;

	PollLoop(DeliveryContext context, ContainerSettings.QueueSettings settings, ListenerRuntime runtime,
			Permits permits, DeliveryDispatcher dispatcher, PollTrigger trigger, @Nullable PollLoop help) {
		this.queue = context.partition();
		this.context = context;
		this.runtime = runtime;
		this.claims = runtime.claims();
		this.scheduler = this.claims.scheduler();
		this.permits = permits;
		this.dispatcher = dispatcher;
		this.trigger = trigger;
		this.help = help;
		this.retries = (help != null) ? help.retries : new ClaimLane.RetryTimes();
		this.status = new LoopStatus(context.queue(), this.claims.invariants());
		this.suspects = new SuspectsInHand(this, this.status, this.claims.signals().suspects(), permits, this.scheduler,
				settings.failures().retries().maxAttempts() == 1);
		// The first loop on a queue registers the queue's name, the second one does not.
		ClaimLane claimLane = new ClaimLane(this.claims.scripts(), this.queue, settings.leaseTime(), settings.limits(),
				!trigger.yields(), this.retries, this.claims.invariants());
		this.lane = LoopLane.of(claimLane, context, settings.leaseTime(), this.claims, this::held, this::check);
		this.deliveries = new LoopDeliveries(this, context, this.claims, permits, dispatcher, this.status, this.lane,
				this.suspects);
		this.held = this.deliveries.held();
		this.claimTimes = new ClaimTimes(this.scheduler);
		this.subscription = new WakeUps.Subscription(this.claims.signals().wakeUps(), this);
		this.timer = new LoopTimer(this.scheduler, context.listener(), this.queue, () -> this.stopped.complete(null));
		this.lastGivenNanos = this.scheduler.nanoTime();
		this.claims.signals().wakeUps().begun(this, this.stopped);
		this.claims.signals().gates().add(this.gateChanged);
		this.claims.scripts().replayMemory().watch(this.mayHaveGoneBack);
	}

	/**
	 * Carries out the step that is due now, if there is one: sends a request, closes the
	 * lane of a stopped loop, or closes the lane of a helping loop that has nothing to
	 * do. Called after each event that may have made a step due.
	 */
	@Override
	public void signal() {
		askGates();
		if (this.status.isBusy()) {
			// The loop signals itself when it is not busy any more.
			return;
		}
		Runnable step = this.status.change(this.nextStep);
		if (step != null) {
			step.run();
		}
	}

	/**
	 * Decides the next step of the loop, and enters the state for it.
	 * @return the step that the caller has to carry out without the lock, or {@code null}
	 * for none
	 */
	private @Nullable Runnable next() {
		if (this.status.isBusy() || this.deliveries.isGathering() || isAboutToSettleAll()
				|| (this.status.state() == LoopState.CLOSED && !this.held.hasFinished())) {
			return null;
		}
		boolean mayClaim = this.status.isClaiming() && (this.trigger.shouldClaim() || this.held.hasFinished())
				&& (!yields() || this.permits.areSeveral());
		int wanted = mayClaim ? this.permits.reserve(this, ClaimRequest.MAX_WANTED) : 0;
		if (wanted > 0 || mustSend()) {
			PendingClaim request = request(wanted);
			return () -> send(request);
		}
		if (this.status.isStopping() && this.held.isOver()) {
			enter(LoopState.CLOSING);
			return this::close;
		}
		if (yields() && !mayClaim && this.held.isEmpty() && this.lane.lane().name() != null) {
			enter(LoopState.RELEASING_LANE);
			return this::releaseLane;
		}
		return null;
	}

	/**
	 * Returns whether the next request has to wait, because handlers are expected to
	 * settle all messages of the last claim before a request would be answered. The
	 * request does not wait if the loop holds messages of earlier claims as well.
	 */
	private boolean isAboutToSettleAll() {
		return this.held.isFromLastClaim() && this.trigger.claimsSoon() && !this.status.isPaused()
				&& !this.status.isStopping() && this.permits.pace().isBrief();
	}

	/**
	 * Returns whether the loop has to send a request even if the request claims nothing.
	 * A stopping loop does so to renew its lane while handlers run, and to learn whether
	 * their messages are lost: the handlers are then signalled.
	 */
	private boolean mustSend() {
		return this.held.hasUnanswered() || this.held.hasFinished()
				|| (this.trigger.mustSend() && (!this.status.isStopping() || !this.held.isSettledOrHandedBack()));
	}

	private PendingClaim request(int wanted) {
		// First: a busy loop in line would keep those behind it from their signal.
		this.permits.leaveLine(this);
		enter(LoopState.REQUESTING);
		this.trigger.sent();
		SuspectAdmission.Ticket suspect = (wanted > 0 && this.trigger.claimsSuspects()) ? this.suspects.ask() : null;
		return new PendingClaim(wanted, suspect, this.held.takeSettlements(), this.scheduler.nanoTime());
	}

	private void send(PendingClaim request) {
		this.timer.cancel();
		this.claims.signals().idle().remove(this);
		this.claimTimes.sent();
		ClaimLane open = this.lane.lane();
		AsyncCall.of(() -> open.open().thenCompose((opened) -> claim(open, request)))
			.whenComplete((reply, failure) -> replied(request, reply, failure));
	}

	private CompletableFuture<ClaimReply> claim(ClaimLane open, PendingClaim request) {
		this.subscription.change(open.name());
		Duration sleep = (request.wanted() > 0) ? this.trigger.longestSleep() : Duration.ZERO;
		return open.claim(request.wanted(), this.permits.behind(), MAX_BYTES, request.suspect() != null, sleep,
				request.settlements());
	}

	private void replied(PendingClaim request, @Nullable ClaimReply reply, @Nullable Throwable failure) {
		if (failure != null) {
			this.claimTimes.failed();
			failed(request, failure);
		}
		else if (reply != null) {
			this.claimTimes.answered(this.scheduler.nanoTime() - request.sentNanos());
			switch (reply.status()) {
				case OK -> answered(request, reply);
				case DELETED -> lose(request);
				default -> replaceLane(request, reply);
			}
		}
	}

	private void answered(PendingClaim request, ClaimReply reply) {
		try {
			this.deliveries.dispatch(request, accept(request, reply));
			if (request.wanted() > 0) {
				this.claimTimes.limited(reply.limitedBy());
				this.dispatcher.answered(this.deliveries);
			}
			if (request.buries()) {
				this.runtime.deadLetters().events().publish(this.queue);
			}
			if (reply.hasNotes()) {
				this.claims.outboxes().look(this.queue);
			}
			heedLimits(reply.limited());
			if (!reply.limited()) {
				callHelp();
			}
		}
		finally {
			request.complete(reply);
			this.deliveries.gather(this::becomeIdle);
			settled(request, reply);
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

	/**
	 * Makes deliveries of the messages that a request brought.
	 */
	private List<Delivery> accept(PendingClaim request, ClaimReply reply) {
		logSettlements(request, reply);
		List<Delivery> claimed = this.status.change(() -> {
			enter(LoopState.DISPATCHING);
			List<Delivery> created = this.deliveries.create(reply);
			this.held.answered(created, request.sentNanos());
			int brought = this.deliveries.inRoom(created);
			this.permits.answered(this, request.wanted(), brought);
			boolean suspect = this.suspects.claimed(request.suspect(), reply.messages());
			if (request.wanted() > 0) {
				claimed(request, reply, brought, suspect);
			}
			else {
				this.trigger.look();
			}
			return created;
		});
		this.lane.cancellations().claimed(claimed);
		return claimed;
	}

	/**
	 * Records the reply to a claim, and decides when to look for messages again unless an
	 * event comes before.
	 * @param count how many messages it brought that take room
	 * @param suspect whether the request brought a suspect
	 */
	private void claimed(PendingClaim request, ClaimReply reply, int count, boolean suspect) {
		if (count > 0) {
			this.lastGivenNanos = this.scheduler.nanoTime();
		}
		boolean full = count >= request.wanted();
		this.permits.claimed(this, full);
		PollTrigger.Claim claim = new PollTrigger.Claim(full, count == 0, suspect, this.permits.pace().isFast(),
				reply.next());
		this.trigger.claimed(claim);
		Duration nextLook = this.trigger.shouldClaim() ? null : this.trigger.nextLook(claim);
		if (nextLook != null) {
			this.status.afterwards(() -> this.timer.set(this::look, nextLook));
		}
		if (this.trigger.isWatched()) {
			this.status
				.afterwards(() -> this.claims.signals().idle().add(this, this.queue, () -> on(this.trigger::occupied)));
		}
	}

	private void logSettlements(PendingClaim request, ClaimReply reply) {
		if (!reply.refused().isEmpty()) {
			logger.warn("The settlement of " + reply.refused().size() + " message(s) of the queue '" + this.queue
					+ "' came too late, and they are delivered again: the lease had run out, or another run of a recurring message "
					+ "has saved its state: " + reply.refused());
		}
		Set<String> cancelled = reply.moves().cancelled();
		if (cancelled.isEmpty()) {
			return;
		}
		for (Settlement settlement : request.settlements()) {
			if (cancelled.contains(settlement.uid())) {
				logger.info("The message '" + settlement.uid() + "' of the queue '" + this.queue
						+ "' was cancelled while it was in hand, and has ended, in place of " + settlement.action());
			}
		}
	}

	private void callHelp() {
		if (this.help != null && this.status.change(this.trigger::needsHelp) && this.permits.areSeveral()) {
			this.help.on(this.help.trigger::call);
		}
	}

	/**
	 * Allows the next request, now that the messages of this reply are dispatched. If
	 * another thread could send the next request earlier, its reply could come at once,
	 * and its messages could be dispatched before these.
	 */
	private void becomeIdle() {
		goOn(this.trigger::answered);
		this.deliveries.giveBackIfStalled();
	}

	/**
	 * Releases the tickets of the suspects that a request settled, and its own if it
	 * brought none, and continues the handling of messages that it acknowledged before.
	 */
	private void settled(PendingClaim request, ClaimReply reply) {
		this.status.change(() -> {
			this.suspects.answered(request, reply);
			this.deliveries.acknowledged(request, reply);
		});
	}

	private void failed(PendingClaim request, Throwable failure) {
		releaseReserved(request);
		this.status.change(() -> {
			enter(LoopState.BACKING_OFF);
			this.held.failed(request.settlements());
		});
		this.dispatcher.failed(failure);
		this.timer.setPause(failure, this::retry);
		this.permits.signalRoom();
	}

	private void retry() {
		goOn(this.trigger::retry);
		signal();
	}

	private void goOn(Runnable event) {
		this.status.change(() -> {
			enter(LoopState.IDLE);
			event.run();
		});
		if (!this.status.isClaiming()) {
			this.deliveries.giveBackUnstarted();
		}
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
			this.permits.releaseSuspect(this.queue);
			request.suspect().release();
		}
	}

	private void enter(LoopState next) {
		this.status.enter(next, this.held.count());
	}

	@Override
	public String queue() {
		return this.queue;
	}

	/**
	 * Returns the queue that the loop claims from, or whose partition it claims from.
	 */
	String logicalQueue() {
		return this.context.queue();
	}

	@Override
	public boolean yields() {
		return this.trigger.yields();
	}

	/**
	 * Returns the deliveries of the loop.
	 */
	LoopDeliveries deliveries() {
		return this.deliveries;
	}

	private List<Delivery> held() {
		return this.deliveries.all();
	}

	/**
	 * Returns when the loop was last given messages, or began.
	 */
	long lastGivenNanos() {
		return this.lastGivenNanos;
	}

	/**
	 * Returns whether a gate of this instance is closed, so that the loop claims nothing.
	 */
	boolean isGated() {
		return this.status.isGated();
	}

	/**
	 * Returns the state of the loop's claims. A loop that helps another one rests after a
	 * failure until it is called, so only the other one shows that Redis is silent.
	 */
	ContainerState.Claims claims() {
		ContainerState.Claims times = this.claimTimes.state();
		return yields() ? times.answered() : times;
	}

	/**
	 * Records an event, and takes the step that it has made due.
	 */
	private void on(Runnable event) {
		this.status.change(event);
		signal();
	}

	/**
	 * Wakes the loop up. A loop that only helps another one is not put to sleep.
	 */
	@Override
	public void wakeUp() {
		if (!yields()) {
			on(() -> this.trigger.wakeUp(this.status.isBusy()));
		}
	}

	@Override
	public void cancelled(String uid) {
		this.lane.cancellations().cancelled(uid);
	}

	@Override
	public List<Delivery> inHand() {
		return this.status.change(this.held::inHand);
	}

	@Override
	public void mayHaveMissed() {
		wakeUp();
		this.lane.cancellations().ask();
	}

	/**
	 * Claims at once if there is room.
	 */
	void look() {
		on(this.trigger::look);
	}

	private void check() {
		on(this.trigger::check);
	}

	@Override
	public void askAgain() {
		on(() -> {
			this.suspects.askAtOnce();
			this.trigger.look();
		});
	}

	/**
	 * Stops claiming, gives back the deliveries whose handling has not started, signals
	 * running handlers that they may end, and lets them finish.
	 * @return a future that completes when the loop holds no message any more and the
	 * lane is closed
	 */
	CompletableFuture<Void> stop() {
		endClaiming(this.status::stop);
		this.lane.cancellations().turn(this.status.change(this.held::inHand), CancellationReason.SHUTDOWN);
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
		this.lane.notes().flush().thenRun(() -> {
			this.status.change(this.held::handBack);
			this.lane.cancellations().turn(this.deliveries.all(), CancellationReason.LEASE_LOST);
			signal();
		});
		return this.stopped;
	}

	/**
	 * Returns whether the loop is stopped and has sent all its settlements to Redis.
	 */
	boolean hasSentAll() {
		LoopState now = this.status.state();
		return now == LoopState.CLOSING || now == LoopState.CLOSED;
	}

	/**
	 * Stops claiming until {@link #resume()} is called, and gives back the deliveries
	 * whose handling has not started. The loop passes a wake-up that arrives in the
	 * meantime to another instance.
	 */
	void pause() {
		endClaiming(() -> {
			this.status.pause();
			this.trigger.pause();
		});
	}

	private void endClaiming(Runnable event) {
		this.status.change(() -> {
			event.run();
			this.permits.withdraw(this);
		});
		giveBackUnstarted();
		signal();
	}

	private void giveBackUnstarted() {
		this.claims.signals().suspects().leave(this);
		this.deliveries.giveBackUnstarted();
	}

	/**
	 * Resumes claiming after {@link #pause()}.
	 */
	void resume() {
		on(() -> {
			this.status.resume();
			this.trigger.look();
		});
	}

	/**
	 * Asks whether the gates of this instance are open. If one has been closed, the loop
	 * gives back the deliveries whose handling has not started.
	 */
	private void askGates() {
		LocalGates gates = this.claims.signals().gates();
		if (gates.isEmpty()) {
			return;
		}
		boolean open = gates.isOpen(this.context.listener(), logicalQueue());
		this.status.change(() -> gate(open));
		if (!open && !this.stopped.isDone() && this.askingAgain.compareAndSet(false, true)
				&& this.scheduler.schedule(this::askGatesAgain, LocalGates.ASK_AGAIN) == null) {
			this.askingAgain.set(false);
		}
	}

	private void gate(boolean open) {
		boolean changed = this.status.gate(open);
		if (changed && open) {
			this.trigger.look();
		}
		else if (changed) {
			this.trigger.pause();
			this.permits.withdraw(this);
			this.status.afterwards(this::giveBackUnstarted);
		}
	}

	private void askGatesAgain() {
		this.askingAgain.set(false);
		signal();
	}

	/**
	 * Handles the deletion of the queue, which has also removed the messages that the
	 * loop holds.
	 */
	private void lose(PendingClaim request) {
		releaseReserved(request);
		this.subscription.change(null);
		List<Delivery> unstarted = this.deliveries.withdraw();
		this.status.change(() -> {
			List<Delivery> lost = new ArrayList<>();
			// Before others continue.
			this.status.afterwards(() -> this.lane.cancellations().turn(lost, CancellationReason.LEASE_LOST));
			this.deliveries.forgetStalled();
			this.held.lose(unstarted).forEach(this.deliveries::dropped);
			enter(LoopState.IDLE);
			lost.addAll(onOtherLane());
		});
		signal();
		this.permits.signalRoom();
	}

	/**
	 * Continues on another lane, which does not hold all messages of the last one.
	 * @return the deliveries whose messages it does not hold
	 */
	private List<Delivery> onOtherLane() {
		this.trigger.laneReplaced(this.status.isPaused());
		this.suspects.retain(this.held.uids());
		return this.held.lost();
	}

	/**
	 * Handles a reply that says that Redis does not know the lane, or not its last
	 * requests: the lease has expired, or Redis went back in time. The loop gives back
	 * the deliveries whose handling has not started. A new lane takes over the messages
	 * whose handlers run, and the settlements that Redis has forgotten.
	 */
	private void replaceLane(PendingClaim request, ClaimReply reply) {
		this.status.change(() -> {
			enter(LoopState.RESUMING);
			this.deliveries.forgetStalled();
		});
		this.deliveries.giveBackWaiting();
		releaseReserved(request);
		this.subscription.change(null);
		this.status.change(() -> {
			LaneHandover recovery = this.held.recover(this.context.listener(), logicalQueue(), reply,
					request.settlements());
			this.status.afterwards(() -> recovery.run(this.lane.lane(), this.scheduler, this.timer,
					(resumed, sentNanos) -> resumed(recovery, resumed, sentNanos)));
			// After the request is sent, as handlers may run in the completions.
			this.held.laneGone();
		});
		this.permits.signalRoom();
	}

	private void resumed(LaneHandover recovery, ResumeScript.Reply reply, long sentNanos) {
		List<Delivery> lost = this.status.change(() -> {
			this.held.resumed(recovery, reply, sentNanos);
			return onOtherLane();
		});
		if (recovery.wentBack()) {
			writeNotesAgain();
		}
		this.lane.notes().resumed();
		this.lane.cancellations().turn(lost, CancellationReason.LEASE_LOST);
		this.subscription.change(this.lane.lane().name());
		// Finds messages that were cancelled while Redis knew no lane of the loop by its
		// name.
		this.lane.cancellations().ask();
		recovery.log(reply, this.claims.scripts().replayMemory());
		this.deliveries.gather(this::becomeIdle);
		LeaseLostEvent leaseLost = recovery.leaseLost(logicalQueue(), reply);
		if (leaseLost != null) {
			this.runtime.leases().accept(leaseLost);
		}
	}

	/**
	 * Called when Redis answers again: it may have gone back in time. See
	 * {@link LaneRenewer#renewNow}.
	 */
	private void redisIsBack() {
		writeNotesAgain();
		this.lane.renewer().renewNow();
	}

	/**
	 * Has the checkpoints of the handlers written again. A lane that only wrote since
	 * then has the number of its last request, and does not learn that Redis went back in
	 * time.
	 */
	private void writeNotesAgain() {
		this.deliveries.all().forEach(Delivery::writeNotesAgain);
	}

	private void close() {
		this.timer.close();
		this.claims.signals().idle().remove(this);
		this.claims.signals().gates().remove(this.gateChanged);
		this.claims.scripts().replayMemory().unwatch(this.mayHaveGoneBack);
		this.subscription.change(null);
		this.lane.notes().close();
		this.lane.lane().forget();
		this.lane.lane().close().whenComplete((closed, failure) -> {
			this.status.change(() -> {
				this.held.laneClosed();
				enter(LoopState.CLOSED);
			});
			this.stopped.complete(null);
			signal();
		});
	}

	private void releaseLane() {
		this.subscription.change(null);
		this.lane.lane().close().whenComplete((closed, failure) -> on(() -> enter(LoopState.IDLE)));
	}

}
