package io.redelay.queue.listener;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.Iterator;
import java.util.List;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;

import org.jspecify.annotations.Nullable;

/**
 * Hands what is held to handlers, as many at a time as there are permits. A permit is
 * taken for a delivery or a batch, and is free again when its handler has returned and
 * all of it is settled.
 * <p>
 * Safe for use by many threads.
 */
final class MessageDispatcher {

	/**
	 * How long what was prefetched may wait for a handler before it goes back for others
	 * to take.
	 */
	private static final Duration LONGEST_WAIT = Duration.ofSeconds(1);

	private final QueueListenerContainer container;

	private final ContainerSettings settings;

	private final ListenerRuntime runtime;

	private final Capacity capacity;

	private final Deque<Delivery> waiting = new ArrayDeque<>();

	private int running;

	private long oldestArrival;

	private boolean watched;

	MessageDispatcher(QueueListenerContainer container) {
		this.container = container;
		this.settings = container.getSettings();
		this.runtime = container.runtime();
		this.capacity = container.capacity();
	}

	/**
	 * Takes deliveries of one loop; suspects go first.
	 */
	void dispatch(List<Delivery> deliveries) {
		if (deliveries.isEmpty()) {
			return;
		}
		synchronized (this.waiting) {
			if (this.waiting.isEmpty()) {
				this.oldestArrival = System.nanoTime();
			}
			for (Delivery delivery : deliveries) {
				if (delivery.isAlone()) {
					this.waiting.addFirst(delivery);
				}
				else {
					this.waiting.addLast(delivery);
				}
			}
		}
		if (this.settings.batchSize() > 1 && !this.settings.batchTimeout().isZero()) {
			this.runtime.timer()
				.schedule(this::startHandlers, this.settings.batchTimeout().toNanos(), TimeUnit.NANOSECONDS);
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
		try {
			this.runtime.timer().schedule(this::giveBackStalled, LONGEST_WAIT.toNanos(), TimeUnit.NANOSECONDS);
		}
		catch (RejectedExecutionException ex) {
			// The application is closing, and what waits goes back with it.
		}
	}

	private void giveBackStalled() {
		long longest = LONGEST_WAIT.plus(this.settings.batchTimeout()).toNanos();
		long now = System.nanoTime();
		List<Delivery> stalled = withdraw((delivery) -> !delivery.isAlone() && delivery.heldNanos(now) > longest);
		if (!stalled.isEmpty()) {
			this.capacity.stalled();
			stalled.forEach((delivery) -> delivery.giveBack(Duration.ZERO));
		}
		synchronized (this.waiting) {
			this.watched = false;
		}
		watch();
	}

	/**
	 * Takes back what a loop delivered and has not started.
	 */
	List<Delivery> withdraw(PollLoop loop) {
		return withdraw((delivery) -> delivery.loop() == loop);
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

	private void startHandlers() {
		while (true) {
			List<Delivery> next = takeWithPermit();
			if (next == null) {
				return;
			}
			this.runtime.handlers().execute(() -> work(next));
		}
	}

	private @Nullable List<Delivery> takeWithPermit() {
		synchronized (this.waiting) {
			if (this.running >= this.capacity.permits()) {
				return null;
			}
			List<Delivery> next = take();
			if (next != null) {
				this.running++;
			}
			return next;
		}
	}

	private @Nullable List<Delivery> take() {
		Delivery first = this.waiting.peek();
		if (first == null) {
			return null;
		}
		if (this.settings.batchSize() == 1 || first.isAlone()) {
			return List.of(this.waiting.remove());
		}
		if (this.waiting.size() < this.settings.batchSize() && !isBatchDue()) {
			return null;
		}
		List<Delivery> batch = new ArrayList<>();
		for (Delivery next = first; next != null && next.loop() == first.loop() && !next.isAlone()
				&& batch.size() < this.settings.batchSize(); next = this.waiting.peek()) {
			batch.add(this.waiting.remove());
		}
		this.oldestArrival = System.nanoTime();
		return batch;
	}

	private boolean isBatchDue() {
		Duration timeout = this.settings.batchTimeout();
		return timeout.isZero() || System.nanoTime() - this.oldestArrival >= timeout.toNanos();
	}

	/**
	 * Handles deliveries on the current thread, and then those that wait, while its
	 * permit is free again each time.
	 */
	private void work(List<Delivery> first) {
		List<Delivery> next = first;
		while (next != null) {
			Handling handling = new Handling(next, this.container, this::permitFreed);
			boolean free = handling.run();
			next = free ? takeOrStop() : null;
		}
	}

	private @Nullable List<Delivery> takeOrStop() {
		synchronized (this.waiting) {
			List<Delivery> next = (this.running <= this.capacity.permits()) ? take() : null;
			if (next == null) {
				this.running--;
			}
			return next;
		}
	}

	private void permitFreed() {
		synchronized (this.waiting) {
			this.running--;
		}
		startHandlers();
	}

}
