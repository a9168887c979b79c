package io.redelay.queue.handle;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Deque;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.OptionalLong;
import java.util.Set;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.stream.Collectors;

import io.redelay.log.PlainLog;
import io.redelay.queue.failure.FailureText;
import org.apache.commons.logging.Log;
import org.jspecify.annotations.Nullable;

/**
 * Passes the deliveries of a container to its handlers. At most as many handlers run at a
 * time as there are permits. An invocation of the handler takes one permit, for a
 * delivery or for a batch; the permit is free again when the handler has returned and all
 * deliveries of the invocation are settled.
 * <p>
 * The queues of the container, and the fairness keys of each, take turns, see
 * {@link WaitingDeliveries}; or have an order, see {@link OrderedDeliveries}.
 * <p>
 * The methods on the way of a delivery stand first, in the order of their calls:
 * {@link #dispatch} adds it to the waiting ones, and {@link #startMore} starts a worker
 * on a thread of the executor. The worker takes the delivery, and runs a
 * {@link HandlerInvocation}.
 * <p>
 * Safe for use by many threads.
 */
final class MessageDispatcher implements DeliveryDispatcher {

	private static final Log logger = PlainLog.of(MessageDispatcher.class);

	/**
	 * How long a prefetched delivery may wait for a handler before the loop gives it
	 * back, so that another instance can claim it.
	 */
	private static final Duration LONGEST_WAIT = Duration.ofSeconds(1);

	private final ContainerSettings settings;

	private final ListenerHandling handling;

	private final HandlerExecutor executor;

	private final HandlerPermits permits;

	private final HandlingTimeEstimate pace;

	private final WaitingLines waiting;

	private final WorkerDemand demand;

	private int running;

	private final Function<Deque<Delivery>, List<Delivery>> choice = this::takeFrom;

	/**
	 * How many other handlers run while {@link #choice} is called.
	 */
	private int others;

	/**
	 * When the timer starts workers for a batch that is not full; empty if it does not.
	 */
	private OptionalLong batchAwaitedUntil = OptionalLong.empty();

	private boolean watched;

	private boolean checkScheduled;

	MessageDispatcher(ListenerHandling handling, HandlerPermits permits) {
		this.settings = handling.settings();
		this.waiting = WaitingLines.of(this.settings.order(), this.settings.batch().size() == 1, permits::isAhead);
		this.handling = handling;
		this.executor = handling.executor();
		this.permits = permits;
		this.pace = permits.pace();
		this.demand = new WorkerDemand(this.pace, this.executor.scheduler());
	}

	/**
	 * Adds deliveries of one owner to the waiting ones of its queue. Deliveries that are
	 * handled alone go to the front, the others to the end.
	 */
	@Override
	public void dispatch(List<Delivery> deliveries) {
		if (deliveries.isEmpty()) {
			return;
		}
		synchronized (this.waiting) {
			List<Delivery> alone = alone(deliveries);
			if (alone.isEmpty()) {
				this.waiting.addLast(deliveries);
			}
			else {
				this.waiting.addLast(deliveries.stream().filter((delivery) -> !isAlone(delivery)).toList());
				this.waiting.addFirst(alone);
			}
		}
		startMore();
		if (this.settings.concurrency().prefetch() == null) {
			watch();
		}
	}

	private List<Delivery> alone(List<Delivery> deliveries) {
		List<Delivery> alone = List.of();
		for (Delivery delivery : deliveries) {
			if (isAlone(delivery)) {
				alone = alone.isEmpty() ? new ArrayList<>() : alone;
				alone.add(delivery);
			}
		}
		return alone;
	}

	/**
	 * Returns whether a delivery is handled alone: it is a suspect, or its batch failed,
	 * or it failed before and must not make a batch fail.
	 */
	private boolean isAlone(Delivery delivery) {
		return delivery.isAlone() || (this.settings.batch().size() > 1 && delivery.claim().failures() > 0);
	}

	/**
	 * Starts up to two workers while deliveries wait that the running workers are not
	 * expected to handle soon. Each worker in turn starts up to two others before it
	 * handles its own deliveries.
	 */
	@Override
	public void startMore() {
		boolean started = true;
		for (int i = 0; i < 2 && started; i++) {
			Worker next = nextWorker();
			started = next != null && start(next);
		}
	}

	private @Nullable Worker nextWorker() {
		synchronized (this.waiting) {
			if (this.running >= this.permits.count() || this.waiting.isEmpty()) {
				return null;
			}
			if (this.settings.batch().size() == 1 && this.demand.isEnough(this.waiting.size())) {
				checkLater();
				return null;
			}
			Worker worker = new Worker(this.demand.join());
			worker.next = take(this.running);
			if (worker.next.isEmpty()) {
				this.demand.leave(worker.member);
				return null;
			}
			this.running++;
			return worker;
		}
	}

	private boolean start(Worker worker) {
		if (this.executor.tryExecute(worker)) {
			return true;
		}
		synchronized (this.waiting) {
			this.waiting.addFirst(worker.next);
			this.running--;
			this.demand.leave(worker.member);
		}
		later(this::startMore, HandlerExecutor.PAUSE_WITHOUT_THREAD.toNanos());
		return false;
	}

	/**
	 * Removes and returns the deliveries for one invocation of the handler: one delivery
	 * or a batch, of the queue whose turn it is. The list is empty if no delivery waits,
	 * or if all batches are to wait for more.
	 * @param running how many other handlers run
	 */
	private List<Delivery> take(int running) {
		this.others = running;
		return this.waiting.take(this.choice);
	}

	private List<Delivery> takeFrom(Deque<Delivery> line) {
		Delivery first = line.element();
		if (this.settings.batch().size() == 1 || isAlone(first) || first.isAggregate()) {
			return List.of(line.remove());
		}
		if (line.size() < this.settings.batch().size() && !isRoomTaken(this.others) && !isBatchDue(first)) {
			return List.of();
		}
		List<Delivery> batch = new ArrayList<>();
		for (Delivery next = first; next != null && next.owner() == first.owner() && !isAlone(next)
				&& !next.isAggregate() && batch.size() < this.settings.batch().size(); next = line.peek()) {
			batch.add(line.remove());
		}
		return batch;
	}

	/**
	 * Returns whether so many deliveries wait, of all queues together, that no more can
	 * be claimed to fill a batch until one is handled.
	 */
	private boolean isRoomTaken(int running) {
		return this.waiting.size() >= this.permits.mostWaiting(running);
	}

	/**
	 * Returns whether a batch that is not full has waited for long enough. If it has not,
	 * this method schedules another start of workers for the time when it has, unless one
	 * is scheduled for an earlier time.
	 */
	private boolean isBatchDue(Delivery first) {
		long now = this.executor.nanoTime();
		long rest = this.settings.batch().timeout().toNanos() - first.claim().heldNanos(now);
		if (rest <= 0) {
			return true;
		}
		long due = now + rest;
		OptionalLong awaited = this.batchAwaitedUntil;
		if ((awaited.isEmpty() || due - awaited.getAsLong() < 0) && later(() -> batchDue(due), rest)) {
			this.batchAwaitedUntil = OptionalLong.of(due);
		}
		return false;
	}

	private void batchDue(long due) {
		synchronized (this.waiting) {
			OptionalLong awaited = this.batchAwaitedUntil;
			if (awaited.isPresent() && awaited.getAsLong() == due) {
				this.batchAwaitedUntil = OptionalLong.empty();
			}
		}
		startMore();
	}

	/**
	 * Called with the time that a handler has taken.
	 * @param nanos the time for each message
	 */
	void handled(long nanos) {
		this.pace.handled(nanos);
	}

	/**
	 * Called when a batch failed and each of its messages is to be handled by an
	 * invocation of its own.
	 */
	void handleEachAlone(List<Delivery> deliveries, Throwable failure) {
		FailureText.warnInOneLine(logger, "A batch of the listener '" + this.settings.id()
				+ "' failed, and each of its " + deliveries.size() + " messages that are not settled is handled alone",
				failure);
		deliveries.forEach(Delivery::handleAlone);
		dispatch(deliveries);
	}

	/**
	 * Called when an invocation ends after {@link HandlerInvocation#run()} returned: its
	 * permit is free.
	 */
	void permitFreed() {
		synchronized (this.waiting) {
			this.running--;
		}
		startMore();
	}

	/**
	 * Called when a claim was answered that deliveries of other queues may have waited
	 * for.
	 */
	@Override
	public void answered(DeliveryOwner owner) {
		if (this.settings.order().strict()) {
			startMore();
		}
	}

	/**
	 * Starts other workers. A failure is only logged, because it must not keep the
	 * calling worker from its own deliveries.
	 */
	private void startOthers() {
		try {
			startMore();
		}
		catch (Throwable ex) {
			FailureText.warn(logger, "No other handler of the listener '" + this.settings.id() + "' was started", ex);
		}
	}

	/**
	 * Schedules another check of whether the running workers are enough, unless one is
	 * scheduled already.
	 */
	private void checkLater() {
		if (!this.checkScheduled) {
			this.checkScheduled = later(() -> {
				synchronized (this.waiting) {
					this.checkScheduled = false;
				}
				startMore();
			}, WorkerDemand.CHECK_INTERVAL.toNanos());
		}
	}

	/**
	 * Runs an action after a delay. If the application is closing, the action does not
	 * run: the waiting messages are delivered again when the lease has expired. It does
	 * not run either if there is no thread for the timer; the next event schedules it
	 * again.
	 * @return whether the action will run
	 */
	private boolean later(Runnable action, long nanos) {
		return this.executor.schedule(action, nanos) != null;
	}

	/**
	 * Schedules a check of the waiting deliveries, unless one is scheduled already or no
	 * delivery waits. If handlers that were fast have become slow, the check has the
	 * loops give back the deliveries that were prefetched for them.
	 */
	private void watch() {
		synchronized (this.waiting) {
			if (this.watched || this.waiting.isEmpty()) {
				return;
			}
			this.watched = true;
		}
		if (!later(this::giveBackStalled, LONGEST_WAIT.toNanos())) {
			synchronized (this.waiting) {
				this.watched = false;
			}
		}
	}

	private void giveBackStalled() {
		Set<DeliveryOwner> stalled = ownersOfStalled();
		if (!stalled.isEmpty()) {
			this.pace.stalled(this.permits.count());
			stalled.forEach(DeliveryOwner::giveBackStalled);
		}
		synchronized (this.waiting) {
			this.watched = false;
		}
		watch();
	}

	private Set<DeliveryOwner> ownersOfStalled() {
		long longest = LONGEST_WAIT.plus(this.settings.batch().timeout()).toNanos();
		long now = this.executor.nanoTime();
		synchronized (this.waiting) {
			return this.waiting.all()
				.stream()
				.filter((delivery) -> !isAlone(delivery) && delivery.waitedNanos(now) > longest)
				.map(Delivery::owner)
				.collect(Collectors.toCollection(LinkedHashSet::new));
		}
	}

	/**
	 * Removes and returns the waiting deliveries of an owner, except those that are
	 * handled alone: these are handled before all others of their queue anyway.
	 */
	@Override
	public List<Delivery> withdrawStalled(DeliveryOwner owner) {
		return withdraw((delivery) -> delivery.owner() == owner && !isAlone(delivery));
	}

	/**
	 * Removes and returns the waiting deliveries of an owner.
	 */
	@Override
	public List<Delivery> withdraw(DeliveryOwner owner) {
		return withdraw((delivery) -> delivery.owner() == owner);
	}

	private List<Delivery> withdraw(Predicate<Delivery> chosen) {
		synchronized (this.waiting) {
			return this.waiting.remove(chosen);
		}
	}

	/**
	 * Returns the deliveries that wait for a handler now.
	 */
	@Override
	public Set<Delivery> waiting() {
		synchronized (this.waiting) {
			return new LinkedHashSet<>(this.waiting.all());
		}
	}

	@Override
	public int running() {
		synchronized (this.waiting) {
			return this.running;
		}
	}

	/**
	 * A task on one thread of the executor. It handles its first deliveries, and then
	 * takes waiting ones as long as its permit is free again after each invocation.
	 */
	private final class Worker implements Runnable {

		private final WorkerDemand.Member member;

		private List<Delivery> next = List.of();

		Worker(WorkerDemand.Member member) {
			this.member = member;
		}

		@Override
		public void run() {
			startOthers();
			boolean goesOn = true;
			while (goesOn) {
				boolean free = new HandlerInvocation(this.next, MessageDispatcher.this.handling, MessageDispatcher.this)
					.run();
				goesOn = free ? takeNext() : leave();
			}
		}

		private boolean takeNext() {
			synchronized (MessageDispatcher.this.waiting) {
				int running = MessageDispatcher.this.running;
				this.next = (running <= MessageDispatcher.this.permits.count()) ? take(running - 1) : List.of();
				if (this.next.isEmpty()) {
					MessageDispatcher.this.running--;
					MessageDispatcher.this.demand.leave(this.member);
					return false;
				}
				this.member.take();
				return true;
			}
		}

		/**
		 * Ends this worker, because the deliveries that it handled still need its permit.
		 * Starts another worker for the waiting deliveries if there is another permit.
		 */
		private boolean leave() {
			synchronized (MessageDispatcher.this.waiting) {
				MessageDispatcher.this.demand.leave(this.member);
			}
			startMore();
			return false;
		}

	}

}
