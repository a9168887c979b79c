package io.redelay.queue.listener;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashSet;
import java.util.Iterator;
import java.util.List;
import java.util.Set;
import java.util.function.Predicate;
import java.util.stream.Collectors;

import io.redelay.queue.listener.failure.FailureText;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

/**
 * Hands what is held to handlers, as many at a time as there are permits. A permit is
 * taken for a delivery or a batch, and is free again when its handler has returned and
 * all of it is settled.
 * <p>
 * Safe for use by many threads.
 */
final class MessageDispatcher implements InvocationListener {

	private static final Log logger = LogFactory.getLog(MessageDispatcher.class);

	/**
	 * How long what was prefetched may wait for a handler before it goes back for others
	 * to take.
	 */
	private static final Duration LONGEST_WAIT = Duration.ofSeconds(1);

	private final ContainerSettings settings;

	private final InvocationContext invocations;

	private final HandlerExecutor executor;

	private final Permits permits;

	private final Pace pace;

	private final Deque<Delivery> waiting = new ArrayDeque<>();

	private final WorkerDemand crew;

	private int running;

	private boolean batchAwaited;

	private boolean watched;

	private boolean overseen;

	MessageDispatcher(InvocationContext invocations, Permits permits, Pace pace) {
		this.settings = invocations.settings();
		this.invocations = invocations;
		this.executor = invocations.executor();
		this.permits = permits;
		this.pace = pace;
		this.crew = new WorkerDemand(pace, this.executor.scheduler());
	}

	/**
	 * Takes deliveries of one owner; those that are handled alone go first.
	 */
	void dispatch(List<Delivery> deliveries) {
		if (deliveries.isEmpty()) {
			return;
		}
		synchronized (this.waiting) {
			deliveries.stream().filter((delivery) -> !isAlone(delivery)).forEach(this.waiting::addLast);
			putFirst(deliveries.stream().filter(this::isAlone).toList());
		}
		startHandlers();
		if (this.settings.prefetch() == null) {
			watch();
		}
	}

	/**
	 * Looks after what waits, while something waits: when handlers that were fast become
	 * slow, what was prefetched for them goes back.
	 */
	private void watch() {
		synchronized (this.waiting) {
			if (this.watched || this.waiting.isEmpty()) {
				return;
			}
			this.watched = true;
		}
		later(this::giveBackStalled, LONGEST_WAIT.toNanos());
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
		long longest = LONGEST_WAIT.plus(this.settings.batchTimeout()).toNanos();
		long now = this.executor.nanoTime();
		synchronized (this.waiting) {
			return this.waiting.stream()
				.filter((delivery) -> !isAlone(delivery) && delivery.heldNanos(now) > longest)
				.map(Delivery::owner)
				.collect(Collectors.toSet());
		}
	}

	/**
	 * Takes back what an owner delivered and has not started, but for what is handled
	 * alone, and so before everything else.
	 */
	List<Delivery> withdrawStalled(DeliveryOwner owner) {
		return withdraw((delivery) -> delivery.owner() == owner && !isAlone(delivery));
	}

	/**
	 * Takes back what an owner delivered and has not started.
	 */
	List<Delivery> withdraw(DeliveryOwner owner) {
		return withdraw((delivery) -> delivery.owner() == owner);
	}

	private List<Delivery> withdraw(Predicate<Delivery> chosen) {
		List<Delivery> withdrawn = new ArrayList<>();
		synchronized (this.waiting) {
			for (Iterator<Delivery> each = this.waiting.iterator(); each.hasNext();) {
				Delivery delivery = each.next();
				if (chosen.test(delivery)) {
					each.remove();
					withdrawn.add(delivery);
				}
			}
		}
		return withdrawn;
	}

	/**
	 * Whether a delivery is handled alone: as a suspect, or because it failed before and
	 * shall not fail a batch.
	 */
	private boolean isAlone(Delivery delivery) {
		return delivery.isAlone() || (this.settings.batchSize() > 1 && delivery.failures() > 0);
	}

	/**
	 * What waits for a handler now.
	 */
	Set<Delivery> waiting() {
		synchronized (this.waiting) {
			return new HashSet<>(this.waiting);
		}
	}

	private void putFirst(List<Delivery> deliveries) {
		for (int i = deliveries.size() - 1; i >= 0; i--) {
			this.waiting.addFirst(deliveries.get(i));
		}
	}

	/**
	 * Starts two handlers, each of which starts two in turn before it does its own work,
	 * while something waits that those who work already are not about to handle.
	 */
	private void startHandlers() {
		boolean started = true;
		for (int i = 0; i < 2 && started; i++) {
			Worker next = hire();
			started = next != null && start(next);
		}
	}

	/**
	 * Whatever comes of it must not keep the caller from its own work.
	 */
	private void startOthers() {
		try {
			startHandlers();
		}
		catch (Throwable ex) {
			FailureText.warn(logger, "No other handler of the listener '" + this.settings.id() + "' was started", ex);
		}
	}

	private @Nullable Worker hire() {
		synchronized (this.waiting) {
			if (this.running >= this.permits.count() || this.waiting.isEmpty()) {
				return null;
			}
			if (this.settings.batchSize() == 1 && this.crew.isEnough(this.waiting.size())) {
				oversee();
				return null;
			}
			Worker worker = new Worker(this.crew.join());
			worker.next = take();
			if (worker.next.isEmpty()) {
				this.crew.leave(worker.member);
				return null;
			}
			this.running++;
			return worker;
		}
	}

	/**
	 * Looks again whether those who work are enough.
	 */
	private void oversee() {
		if (!this.overseen) {
			later(() -> {
				synchronized (this.waiting) {
					this.overseen = false;
				}
				startHandlers();
			}, WorkerDemand.PATIENCE.toNanos());
			this.overseen = true;
		}
	}

	private boolean start(Worker worker) {
		if (this.executor.tryExecute(worker)) {
			return true;
		}
		synchronized (this.waiting) {
			putFirst(worker.next);
			this.running--;
			this.crew.leave(worker.member);
		}
		later(this::startHandlers, HandlerExecutor.PAUSE_WITHOUT_THREAD.toNanos());
		return false;
	}

	/**
	 * Does something later. When the application is closing it is not done: what waits is
	 * delivered again when its lease has expired.
	 */
	private void later(Runnable action, long nanos) {
		this.executor.schedule(action, nanos);
	}

	/**
	 * Takes what is to be handled together, if there is anything.
	 */
	private List<Delivery> take() {
		Delivery first = this.waiting.peek();
		if (first == null) {
			return List.of();
		}
		if (this.settings.batchSize() == 1 || isAlone(first)) {
			return List.of(this.waiting.remove());
		}
		if (this.waiting.size() < this.settings.batchSize() && !isBatchDue(first)) {
			return List.of();
		}
		List<Delivery> batch = new ArrayList<>();
		for (Delivery next = first; next != null && next.owner() == first.owner() && !isAlone(next)
				&& batch.size() < this.settings.batchSize(); next = this.waiting.peek()) {
			batch.add(this.waiting.remove());
		}
		return batch;
	}

	/**
	 * Whether a batch that is not full need not wait any longer. If it must, somebody
	 * looks again when its time has come.
	 */
	private boolean isBatchDue(Delivery first) {
		long rest = this.settings.batchTimeout().toNanos() - first.heldNanos(this.executor.nanoTime());
		if (rest <= 0) {
			return true;
		}
		if (!this.batchAwaited) {
			this.batchAwaited = true;
			later(this::batchDue, rest);
		}
		return false;
	}

	private void batchDue() {
		synchronized (this.waiting) {
			this.batchAwaited = false;
		}
		startHandlers();
	}

	@Override
	public void handled(long nanos) {
		this.pace.handled(nanos);
	}

	@Override
	public void handleEachAlone(List<Delivery> deliveries, Throwable failure) {
		FailureText.warnInOneLine(logger, "A batch of " + deliveries.size() + " messages of the listener '"
				+ this.settings.id() + "' failed, and each is handled alone", failure);
		deliveries.forEach(Delivery::handleAlone);
		dispatch(deliveries);
	}

	@Override
	public void permitFreed() {
		synchronized (this.waiting) {
			this.running--;
		}
		startHandlers();
	}

	/**
	 * Handles deliveries on one thread, and then those that wait, while its permit is
	 * free again each time.
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
				boolean free = new HandlerInvocation(this.next, MessageDispatcher.this.invocations,
						MessageDispatcher.this)
					.run();
				goesOn = free ? takeNext() : leave();
			}
		}

		private boolean takeNext() {
			synchronized (MessageDispatcher.this.waiting) {
				this.next = (MessageDispatcher.this.running <= MessageDispatcher.this.permits.count()) ? take()
						: List.of();
				if (this.next.isEmpty()) {
					MessageDispatcher.this.running--;
					MessageDispatcher.this.crew.leave(this.member);
					return false;
				}
				this.member.take();
				return true;
			}
		}

		/**
		 * The permit may still be needed for what was handled here, so another thread
		 * takes what waits, if there is a permit.
		 */
		private boolean leave() {
			synchronized (MessageDispatcher.this.waiting) {
				MessageDispatcher.this.crew.leave(this.member);
			}
			startHandlers();
			return false;
		}

	}

}
