package io.redelay.queue.listener;

import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Collectors;

import io.redelay.queue.store.ClaimLane;
import io.redelay.queue.store.ClaimReply;
import io.redelay.queue.store.ClaimRequest;
import io.redelay.queue.store.ClaimedMessage;
import io.redelay.queue.store.LaneStatus;
import io.redelay.queue.store.ResumeReply;
import io.redelay.queue.store.Settlement;
import io.redelay.scheduling.Alarm;
import io.redelay.scheduling.Scheduler;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

/**
 * The claim loop of a container on one queue. It has no thread of its own: whatever
 * happens gives a {@link #signal()}, and the next request goes out when the lane is free
 * and there is something to settle, or room and reason to claim. What is finished
 * meanwhile gathers for the request after.
 * <p>
 * A loop that does not keep up, because each of its claims is filled, calls a second one
 * for help: while one waits for Redis, the handlers have what the other one brought. The
 * second loop claims while its claims are filled, and then gives its lane up until it is
 * called again; it neither sleeps nor looks for messages by itself.
 * <p>
 * Safe for use by many threads; its lock is never held while something else is called
 * that may block.
 */
final class PollLoop implements DeliveryOwner {

	private static final Log logger = LogFactory.getLog(PollLoop.class);

	private static final int MAX_BYTES = 4 * 1024 * 1024;

	private static final Duration PAUSE_AFTER_FAILURE = Duration.ofSeconds(1);

	private final String queue;

	private final QueueListenerContainer container;

	private final ListenerRuntime runtime;

	private final DeliveryContext context;

	private final Capacity capacity;

	private final MessageDispatcher dispatcher;

	private final ClaimLane lane;

	private final LaneRenewer renewer;

	private final CompletableFuture<Void> stopped = new CompletableFuture<>();

	private final FinishedSettlements finished = new FinishedSettlements();

	/**
	 * What is not settled, in the order in which it was claimed, under lost lanes too.
	 */
	private final Set<Delivery> inHand = new LinkedHashSet<>();

	/**
	 * The settlements of a request of which it is unknown whether it was carried out: the
	 * next one is the same again.
	 */
	private @Nullable List<Settlement> unanswered;

	private final SuspectsInHand suspects;

	/**
	 * Whether all that was in hand after the last claim had come with it.
	 */
	private boolean together;

	private boolean draining;

	/**
	 * Whether what still runs was given back, as the time to stop is up.
	 */
	private boolean handedBack;

	private boolean paused;

	/**
	 * How many threads have more to say, for which the next request waits.
	 */
	private int gathering;

	private boolean onWire;

	/**
	 * Whether what waits for a handler goes back, once nothing is on the wire.
	 */
	private boolean stalled;

	private final PollTrigger attention;

	/**
	 * Counts the lanes; what was claimed under an earlier one can only be acknowledged
	 * late.
	 */
	private long laneEpoch;

	private @Nullable String laneName;

	private final Alarm alarm;

	private final ClaimRefusals refusals;

	/**
	 * The loop that helps this one, if there is one.
	 */
	private final @Nullable PollLoop help;

	private PollLoop(String queue, QueueListenerContainer container, ContainerSettings.QueueSettings settings,
			@Nullable PollLoop help, boolean helping) {
		this.queue = queue;
		this.help = help;
		this.attention = new PollTrigger(helping);
		this.container = container;
		this.runtime = container.getRuntime();
		this.context = new DeliveryContext(queue, container.getId(), this.runtime.codec(),
				new FailurePolicy(container.getId(), settings, this.runtime));
		this.capacity = container.capacity();
		this.dispatcher = container.dispatcher();
		this.lane = new ClaimLane(this.runtime.store(), queue, settings.leaseTime(), !helping);
		this.renewer = new LaneRenewer(this.lane, settings.leaseTime(), this.runtime.timer(), this::check);
		this.alarm = new Alarm(Scheduler.of(this.runtime.timer(), this.runtime.handlers()));
		this.refusals = new ClaimRefusals(container.getId(), queue);
		this.suspects = new SuspectsInHand(this, this.runtime.suspects(), this.capacity, settings.maxAttempts() == 1);
	}

	/**
	 * Creates the loops of a container on one queue.
	 * @return one; and where handlers run side by side, so that messages have no order to
	 * keep, and for one message at a time, so that none is to be filled up, behind it the
	 * one that helps it
	 */
	static List<PollLoop> create(String queue, QueueListenerContainer container,
			ContainerSettings.QueueSettings settings) {
		if (container.getSettings().maxConcurrency() == 1 || container.getSettings().batchSize() > 1) {
			return List.of(new PollLoop(queue, container, settings, null, false));
		}
		PollLoop help = new PollLoop(queue, container, settings, null, true);
		return List.of(new PollLoop(queue, container, settings, help, false), help);
	}

	/**
	 * Whether the loop looks for messages by itself now and then.
	 */
	boolean isPolling() {
		return !this.attention.isHelping();
	}

	private void callHelp() {
		PollLoop called = this.help;
		if (called == null) {
			return;
		}
		synchronized (this) {
			if (!this.attention.needsHelp()) {
				return;
			}
		}
		called.beCalled();
	}

	private void beCalled() {
		synchronized (this) {
			this.attention.call();
		}
		signal();
	}

	String queue() {
		return this.queue;
	}

	DeliveryContext context() {
		return this.context;
	}

	@Override
	public CompletableFuture<Boolean> isCancelled(String uid) {
		return this.runtime.store().isCancelled(this.queue, uid);
	}

	/**
	 * There may be something to claim.
	 */
	void wakeUp() {
		synchronized (this) {
			this.attention.wakeUp(this.onWire);
		}
		signal();
	}

	/**
	 * There may be a suspect to claim, and it may be claimed.
	 */
	void lookForSuspects() {
		synchronized (this) {
			this.suspects.askAtOnce();
			this.attention.look();
		}
		signal();
	}

	private void check() {
		synchronized (this) {
			this.attention.check();
		}
		signal();
	}

	/**
	 * Claims no more, gives back what has not started, and lets what runs finish.
	 * @return completes when nothing is held any more and the lane is closed
	 */
	CompletableFuture<Void> stop() {
		synchronized (this) {
			this.draining = true;
			this.capacity.leaveLine(this);
		}
		this.runtime.suspects().leave(this);
		giveBackUnstarted();
		signal();
		return this.stopped;
	}

	/**
	 * Gives back what still runs, with nothing counted, and closes the lane: for an
	 * application that ends now, so that nobody takes its end for a crash. What runs on
	 * nevertheless can be acknowledged while nobody else has it.
	 * @return completes when it is done
	 */
	CompletableFuture<Void> handBack() {
		synchronized (this) {
			this.handedBack = true;
			this.renewer.need(false);
			this.inHand.stream()
				.filter((delivery) -> delivery.laneEpoch() == this.laneEpoch)
				.forEach((delivery) -> this.finished.add(delivery.givenBack()));
		}
		signal();
		return this.stopped;
	}

	/**
	 * Claims no more until it is resumed, and gives back what has not started. A wake-up
	 * that comes meanwhile is passed on.
	 */
	void pause() {
		synchronized (this) {
			this.paused = true;
			this.attention.pause();
			this.capacity.leaveLine(this);
		}
		this.runtime.suspects().leave(this);
		giveBackUnstarted();
		signal();
	}

	/**
	 * Claims again.
	 */
	void resume() {
		synchronized (this) {
			this.paused = false;
			this.attention.look();
		}
		signal();
	}

	/**
	 * Gives back what waits for a handler; while a request is on the wire its reply does,
	 * as what it brings goes back behind it.
	 */
	private void giveBackUnstarted() {
		gather(() -> {
			synchronized (this) {
				if (this.onWire) {
					return;
				}
			}
			giveBack(this.dispatcher.withdraw(this));
		});
	}

	/**
	 * Gives back what waits for handlers that have become slow: all of it, and when
	 * nothing is on the wire, as what stays or is claimed meanwhile would be handled
	 * before it.
	 */
	@Override
	public void giveBackStalled() {
		synchronized (this) {
			this.stalled = true;
		}
		gather(this::giveBackIfStalled);
	}

	private void giveBackIfStalled() {
		synchronized (this) {
			if (!this.stalled || this.onWire) {
				return;
			}
			this.stalled = false;
		}
		giveBack(this.dispatcher.withdrawStalled(this));
	}

	/**
	 * Gives deliveries back in one request, so that they keep their order.
	 */
	private void giveBack(List<Delivery> deliveries) {
		gather(() -> deliveries.forEach((delivery) -> delivery.giveBack(Duration.ZERO)));
	}

	/**
	 * Runs what settles several deliveries, and sends it all in one request.
	 */
	@Override
	public void gather(Runnable settlements) {
		synchronized (this) {
			this.gathering++;
		}
		try {
			settlements.run();
		}
		finally {
			synchronized (this) {
				this.gathering--;
			}
			signal();
			this.container.roomMade();
		}
	}

	/**
	 * Whether the handling of a message may begin: its lane is the present one, its lease
	 * cannot have run out, and the container is neither paused nor about to stop.
	 */
	@Override
	public boolean mayStart(Delivery delivery) {
		synchronized (this) {
			if (this.draining || this.paused || delivery.laneEpoch() != this.laneEpoch) {
				return false;
			}
		}
		return this.renewer.isValid();
	}

	@Override
	public void settle(Delivery delivery, Settlement settlement) {
		List<SuspectAdmission.Ticket> free = List.of();
		synchronized (this) {
			if (delivery.laneEpoch() != this.laneEpoch) {
				this.finished.addLate(settlement);
			}
			else if (this.handedBack) {
				this.finished.addAfterGivingBack(settlement);
			}
			else {
				this.finished.add(settlement);
			}
			leave(delivery);
			if (delivery.laneEpoch() != this.laneEpoch) {
				free = this.suspects.settled(List.of(settlement));
			}
		}
		free.forEach(SuspectAdmission.Ticket::release);
		signal();
		this.container.roomMade();
	}

	private void leave(Delivery delivery) {
		this.inHand.remove(delivery);
		this.capacity.release(1);
		if (delivery.isSuspect()) {
			this.capacity.releaseSuspect();
		}
	}

	/**
	 * Something may have changed: sends the next request if there is one to send.
	 */
	void signal() {
		Request request;
		synchronized (this) {
			if (this.onWire || this.gathering > 0 || isOver() || isAboutToBeThrough()) {
				return;
			}
			boolean claims = !this.draining && !this.paused && (this.attention.isAwake() || !this.finished.isEmpty());
			int wanted = claims ? this.capacity.reserve(this, ClaimRequest.MAX_WANTED) : 0;
			List<Settlement> again = this.unanswered;
			if (wanted == 0 && again == null && this.finished.isEmpty() && (!this.attention.isDue() || this.draining)) {
				if (this.draining && (this.inHand.isEmpty() || this.handedBack)) {
					close();
				}
				else if (this.attention.isHelping() && !claims && this.inHand.isEmpty() && this.laneName != null) {
					giveUpLane();
				}
				return;
			}
			this.onWire = true;
			this.attention.sent();
			this.alarm.cancel();
			this.capacity.leaveLine(this);
			SuspectAdmission.Ticket suspect = (wanted > 0 && isPolling()) ? this.suspects.ask() : null;
			request = new Request(wanted, suspect, (again != null) ? again : this.finished.take(), System.nanoTime());
		}
		send(request);
	}

	/**
	 * Whether the loop is stopped, and nothing came after that.
	 */
	private boolean isOver() {
		return this.stopped.isDone() && this.finished.isEmpty() && this.lane.name() == null;
	}

	/**
	 * What was claimed together is settled together where handlers are through with it
	 * before a request would be back; but who has been in hand for longer keeps nobody.
	 */
	private boolean isAboutToBeThrough() {
		return !this.inHand.isEmpty() && this.together && this.attention.isAway() && !isResting()
				&& this.capacity.isBrief();
	}

	private void send(Request request) {
		try {
			this.lane.open()
				.thenCompose((open) -> claim(request))
				.whenComplete((reply, failure) -> replied(request, reply, failure));
		}
		catch (Throwable ex) {
			replied(request, null, ex);
		}
	}

	private CompletableFuture<ClaimReply> claim(Request request) {
		listenForWakeUps(this.lane.name());
		boolean sleeps = request.wanted() > 0 && isPolling();
		Duration sleep = sleeps ? this.runtime.safetyPoll().interval() : Duration.ZERO;
		return this.lane.claim(request.wanted(), MAX_BYTES, request.suspect() != null, sleep, request.settlements());
	}

	/**
	 * What is in hand, waits for no handler, and is in no handler's hands.
	 */
	List<Delivery> inNobodysHands() {
		List<Delivery> all;
		synchronized (this) {
			all = List.copyOf(this.inHand);
		}
		Set<Delivery> waiting = this.dispatcher.waiting();
		return all.stream()
			.filter((delivery) -> !delivery.isSettled() && !delivery.isInHands() && !waiting.contains(delivery))
			.toList();
	}

	private synchronized boolean isResting() {
		return this.draining || this.paused;
	}

	private void replied(Request request, @Nullable ClaimReply reply, @Nullable Throwable failure) {
		if (reply != null && reply.status() == LaneStatus.OK) {
			try {
				List<Delivery> deliveries = accept(request, reply);
				giveBackTurnedAway(request, deliveries);
				dispatch(deliveries);
				tellBurials(request);
				callHelp();
			}
			finally {
				gather(this::leaveWire);
				freeSuspects(request, reply);
			}
		}
		else if (failure != null) {
			failed(request, failure);
			this.container.roomMade();
		}
		else if (reply != null && reply.status() == LaneStatus.DELETED) {
			lose(request);
			signal();
			this.container.roomMade();
		}
		else if (reply != null) {
			resume(request, reply);
			this.container.roomMade();
		}
	}

	/**
	 * Gives a suspect back that must be handled alone and was claimed beside others.
	 */
	private void giveBackTurnedAway(Request request, List<Delivery> deliveries) {
		SuspectAdmission.Ticket ticket = request.suspect();
		if (!deliveries.isEmpty() && deliveries.get(0).isSuspect()
				&& (ticket == null || !ticket.admits(deliveries.get(0).isAccused()))) {
			giveBack(List.of(deliveries.remove(0)));
		}
	}

	private void freeSuspects(Request request, ClaimReply reply) {
		SuspectAdmission.Ticket ticket = request.suspect();
		List<SuspectAdmission.Ticket> free;
		synchronized (this) {
			free = this.suspects.settled(request.settlements());
		}
		free.forEach(SuspectAdmission.Ticket::release);
		if (ticket != null && reply.messages().stream().noneMatch(ClaimedMessage::suspect)) {
			ticket.release();
		}
	}

	/**
	 * Has deliveries handled, or gives them back behind what has waited for longer.
	 */
	private void dispatch(List<Delivery> deliveries) {
		if (isResting()) {
			giveBack(this.dispatcher.withdraw(this));
			giveBack(deliveries);
		}
		else {
			this.dispatcher.dispatch(deliveries);
		}
	}

	/**
	 * The next request may go out, now that what this one brought is dispatched: by
	 * another thread it could be answered at once, and be ahead of it.
	 */
	private void leaveWire() {
		synchronized (this) {
			this.onWire = false;
			this.attention.answered();
		}
		if (isResting()) {
			giveBackUnstarted();
		}
		giveBackIfStalled();
	}

	private synchronized List<Delivery> accept(Request request, ClaimReply reply) {
		this.renewer.renewed(request.nanoTime());
		if (!reply.refused().isEmpty()) {
			logger.warn("The settlement of " + reply.refused().size() + " message(s) of the queue '" + this.queue
					+ "' came too late: the lease had run out, and they are delivered again: " + reply.refused());
		}
		this.unanswered = null;
		List<Delivery> deliveries = new ArrayList<>(reply.messages().size());
		long now = System.nanoTime();
		boolean suspect = false;
		for (ClaimedMessage message : reply.messages()) {
			deliveries.add(new Delivery(this, this.context, message, this.laneEpoch, reply.time(), now));
			if (message.suspect() && request.suspect() != null) {
				suspect = true;
				this.suspects.claimed(message.uid(), request.suspect());
			}
		}
		this.inHand.addAll(deliveries);
		this.together = this.inHand.size() == deliveries.size();
		// What waits to be settled is held, too.
		this.renewer.need(!this.handedBack && (!this.inHand.isEmpty() || !this.finished.isEmpty()));
		this.capacity.release(request.wanted() - deliveries.size());
		if (request.suspect() != null && !suspect) {
			this.capacity.releaseSuspect();
		}
		else if (request.suspect() == null && suspect) {
			// It came when the request was sent for the first time.
			this.capacity.addSuspect();
		}
		boolean full = request.wanted() > 0 && deliveries.size() >= request.wanted();
		if (request.wanted() > 0) {
			this.capacity.claimed(full);
			Duration next = reply.next();
			boolean empty = deliveries.isEmpty();
			this.attention.claimed(full, empty, suspect, this.capacity.isFast(), next);
			if (!this.attention.isAwake() && isPolling()) {
				ring(this::look, this.attention.absence(empty, next, this.runtime.safetyPoll().interval()));
			}
		}
		else {
			this.attention.look();
		}
		return deliveries;
	}

	private void tellBurials(Request request) {
		for (Settlement settlement : request.settlements()) {
			if (settlement.action() == Settlement.Action.BURY) {
				this.runtime.deadLetters().events().tell(this.queue);
				return;
			}
		}
	}

	/**
	 * Redis refused the request, or gave no answer. What is held stays held, and is said
	 * again what was to be settled.
	 */
	private void failed(Request request, Throwable failure) {
		freePlaces(request);
		synchronized (this) {
			if (this.lane.isUnanswered()) {
				this.unanswered = request.settlements();
			}
			else if (this.unanswered == null) {
				this.finished.putBack(request.settlements());
			}
		}
		tryAgain(failure, this::recover);
	}

	private void freePlaces(Request request) {
		this.capacity.release(request.wanted());
		SuspectAdmission.Ticket ticket = request.suspect();
		if (ticket != null) {
			this.capacity.releaseSuspect();
			ticket.release();
		}
	}

	private void tryAgain(Throwable failure, Runnable action) {
		synchronized (this) {
			this.refusals.tell(failure);
			ring(action, PAUSE_AFTER_FAILURE);
		}
	}

	/**
	 * The queue was deleted, with what was claimed from it.
	 */
	private void lose(Request request) {
		List<Delivery> lost = this.dispatcher.withdraw(this);
		List<SuspectAdmission.Ticket> free;
		synchronized (this) {
			this.onWire = false;
			this.stalled = false;
			this.laneEpoch++;
			this.unanswered = null;
			listenForWakeUps(null);
			this.capacity.release(request.wanted());
			if (request.suspect() != null) {
				this.capacity.releaseSuspect();
			}
			lost.stream().filter(Delivery::forsake).forEach(this::leave);
			this.finished.clear();
			free = this.suspects.lost(this.inHand.stream().map(Delivery::uid).collect(Collectors.toSet()));
			this.renewer.need(false);
			this.attention.loseLane(true, this.paused);
		}
		free.forEach(SuspectAdmission.Ticket::release);
		if (request.suspect() != null) {
			request.suspect().release();
		}
	}

	/**
	 * Redis does not know the lane, or not its last requests: its lease ran out, or Redis
	 * went back in time. What has not started goes back; what runs, and what was settled
	 * and forgotten, is taken over by a new lane.
	 */
	private void resume(Request request, ClaimReply reply) {
		List<Delivery> unstarted = this.dispatcher.withdraw(this);
		unstarted.forEach((delivery) -> delivery.giveBack(Duration.ZERO));
		freePlaces(request);
		LaneRecovery recovery;
		synchronized (this) {
			this.stalled = false;
			this.unanswered = null;
			listenForWakeUps(null);
			boolean wentBack = reply.status() != LaneStatus.GONE
					|| (this.renewer.isValid() && !this.lane.hasClockJumped(reply.time()));
			List<Settlement> unsettled = new ArrayList<>(request.settlements());
			recovery = new LaneRecovery(this.queue, this.container.getId(), wentBack, this.lane.forgotten(reply),
					unsettled);
			recovery.add(this.finished.waiting());
			recovery.addHeld(this.inHand, this.laneEpoch);
			this.lane.begin(recovery.holdings(), wentBack);
		}
		resume(recovery);
	}

	private void resume(LaneRecovery recovery) {
		long nanoTime = System.nanoTime();
		CompletableFuture<ResumeReply> resumed;
		try {
			resumed = this.lane.resume();
		}
		catch (RuntimeException ex) {
			resumed = CompletableFuture.failedFuture(ex);
		}
		resumed.whenComplete((reply, failure) -> {
			if (failure != null) {
				tryAgain(failure, () -> resume(recovery));
			}
			else if (reply.status() != LaneStatus.OK) {
				beginAgain(recovery);
			}
			else {
				resumed(recovery, reply, nanoTime);
			}
		});
	}

	/**
	 * The new lane is unknown by now, too.
	 */
	private void beginAgain(LaneRecovery recovery) {
		synchronized (this) {
			this.lane.begin(recovery.holdings(), true);
			ring(() -> resume(recovery), PAUSE_AFTER_FAILURE);
		}
	}

	private void resumed(LaneRecovery recovery, ResumeReply reply, long nanoTime) {
		List<SuspectAdmission.Ticket> free;
		synchronized (this) {
			this.laneEpoch++;
			for (Delivery delivery : this.inHand) {
				if (recovery.isTakenOver(delivery, reply)) {
					delivery.takenOver(this.laneEpoch);
				}
			}
			this.finished.resume(recovery.settlements(reply), recovery.claims(), reply.refused());
			this.renewer.renewed(nanoTime);
			this.renewer.need(!this.handedBack && (!this.inHand.isEmpty() || !this.finished.isEmpty()));
			this.attention.loseLane(true, this.paused);
			Set<String> known = this.inHand.stream().map(Delivery::uid).collect(Collectors.toSet());
			this.finished.waiting().forEach((settlement) -> known.add(settlement.uid()));
			free = this.suspects.lost(known);
		}
		free.forEach(SuspectAdmission.Ticket::release);
		recovery.tell(reply, this.runtime.store().replayMemory());
		gather(this::leaveWire);
	}

	private void recover() {
		synchronized (this) {
			this.onWire = false;
			this.attention.look();
			if (isPolling()) {
				this.attention.check();
			}
		}
		if (isResting()) {
			giveBackUnstarted();
		}
		signal();
	}

	private void look() {
		synchronized (this) {
			this.attention.look();
		}
		signal();
	}

	private void ring(Runnable action, Duration delay) {
		if (!this.alarm.set(action, delay)) {
			this.stopped.complete(null);
		}
	}

	private synchronized void listenForWakeUps(@Nullable String name) {
		if (name != null && name.equals(this.laneName)) {
			return;
		}
		if (this.laneName != null) {
			this.runtime.wakeUps().remove(this.laneName);
		}
		if (name != null && isPolling()) {
			this.runtime.wakeUps().add(name, this);
		}
		this.laneName = name;
	}

	private void close() {
		this.onWire = true;
		this.alarm.close();
		listenForWakeUps(null);
		this.lane.forget();
		this.lane.close().whenComplete((closed, failure) -> {
			synchronized (this) {
				this.onWire = false;
				this.laneEpoch++;
			}
			this.stopped.complete(null);
			signal();
		});
	}

	private void giveUpLane() {
		this.onWire = true;
		listenForWakeUps(null);
		this.lane.close().whenComplete((closed, failure) -> {
			synchronized (this) {
				this.onWire = false;
			}
			signal();
		});
	}

	/**
	 * What is on the wire.
	 */
	private record Request(int wanted, SuspectAdmission.@Nullable Ticket suspect, List<Settlement> settlements,
			long nanoTime) {

	}

}
