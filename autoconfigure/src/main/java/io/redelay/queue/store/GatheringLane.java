package io.redelay.queue.store;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;

import org.jspecify.annotations.Nullable;

/**
 * A lane on which each request is carried out once. One request is on the wire at a time;
 * what comes meanwhile waits and goes together in the next one, with what those send who
 * were just answered: see {@link Linger}.
 * <p>
 * Safe for use by many threads. Futures complete on threads that must not be blocked.
 *
 * @param <T> what a request is made of
 * @param <R> the reply
 */
abstract class GatheringLane<T, R> {

	private static final int MAX_BYTES = 4 * 1024 * 1024;

	private final String queue;

	private final int maxTogether;

	private final int maxWaiting;

	private final Deque<Group<T, R>> waiting = new ArrayDeque<>();

	private int waitingItems;

	private final Linger linger = new Linger();

	private boolean looking;

	private boolean onWire;

	private @Nullable String lane;

	private long seq;

	/**
	 * Creates a lane, which is opened when it is first used.
	 * @param queue the queue
	 * @param maxTogether how much goes together at most
	 * @param maxWaiting how much waits at most while a request is on the wire; more is
	 * refused
	 */
	GatheringLane(String queue, int maxTogether, int maxWaiting) {
		this.queue = queue;
		this.maxTogether = maxTogether;
		this.maxWaiting = maxWaiting;
	}

	/**
	 * Opens a new lane.
	 * @return its name, when it is open
	 */
	abstract CompletableFuture<String> open();

	abstract CompletableFuture<R> transmit(String lane, long seq, List<T> items);

	abstract LaneStatus status(R reply);

	/**
	 * Whether the reply refuses all because of how many they are, so that each group is
	 * to be tried by itself.
	 */
	abstract boolean isTooMany(R reply);

	/**
	 * The part of a reply that concerns some of the items.
	 */
	abstract R part(R reply, int first, int size);

	abstract long bytes(T item);

	/**
	 * Sends items, all in one request.
	 */
	final CompletableFuture<R> submit(List<T> items) {
		long bytes = 0;
		for (T item : items) {
			bytes += bytes(item);
		}
		Group<T, R> group = new Group<>(items, bytes, new CompletableFuture<>());
		List<Group<T, R>> trip;
		synchronized (this.waiting) {
			if (this.waitingItems > 0 && this.waitingItems + items.size() > this.maxWaiting) {
				return CompletableFuture.failedFuture(
						new StoreException(this.waitingItems + " messages already wait to be sent to the queue '"
								+ this.queue + "': Redis is slower than the senders", null));
			}
			this.waiting.add(group);
			this.waitingItems += items.size();
			trip = nextTrip();
		}
		depart(trip);
		return group.result;
	}

	private List<Group<T, R>> nextTrip() {
		if (this.onWire || isLingering()) {
			return List.of();
		}
		List<Group<T, R>> trip = new ArrayList<>();
		int items = 0;
		long bytes = 0;
		for (Group<T, R> next = this.waiting.peek(); next != null; next = this.waiting.peek()) {
			items += next.items.size();
			bytes += next.bytes;
			if (!trip.isEmpty() && (next.alone || items > this.maxTogether || bytes > MAX_BYTES)) {
				break;
			}
			trip.add(this.waiting.remove());
			this.waitingItems -= next.items.size();
			if (next.alone) {
				break;
			}
		}
		this.onWire = !trip.isEmpty();
		return trip;
	}

	private boolean isLingering() {
		if (this.waiting.isEmpty() || this.waitingItems >= this.maxTogether) {
			return false;
		}
		long rest = this.linger.rest(this.waiting.size(), System.nanoTime());
		return rest > 0 && (this.looking || lookLater(rest));
	}

	private boolean lookLater(long nanos) {
		try {
			CompletableFuture.delayedExecutor(nanos, TimeUnit.NANOSECONDS, Runnable::run).execute(this::look);
			this.looking = true;
			return true;
		}
		catch (RejectedExecutionException | OutOfMemoryError ex) {
			// Nobody would come back for what waits.
			return false;
		}
	}

	private void look() {
		List<Group<T, R>> trip;
		synchronized (this.waiting) {
			this.looking = false;
			trip = nextTrip();
		}
		depart(trip);
	}

	private void depart(List<Group<T, R>> trip) {
		if (trip.isEmpty()) {
			return;
		}
		requestSafely(trip).whenComplete((reply, failure) -> {
			boolean again = failure == null && trip.size() > 1 && isTooMany(reply);
			List<Group<T, R>> next;
			synchronized (this.waiting) {
				this.onWire = false;
				if (failure != null) {
					this.lane = null;
				}
				this.linger.answered(trip.size() + this.waiting.size(), System.nanoTime());
				if (again) {
					separate(trip);
				}
				next = nextTrip();
			}
			depart(next);
			if (failure != null) {
				Throwable cause = (failure instanceof CompletionException && failure.getCause() != null)
						? failure.getCause() : failure;
				trip.forEach((group) -> group.result.completeExceptionally(cause));
			}
			else if (!again) {
				deliver(trip, reply);
			}
		});
	}

	private void separate(List<Group<T, R>> trip) {
		for (int i = trip.size() - 1; i >= 0; i--) {
			Group<T, R> group = trip.get(i);
			group.alone = true;
			this.waiting.addFirst(group);
			this.waitingItems += group.items.size();
		}
	}

	/**
	 * Whatever comes of it, the lane must not stay as if a request were on the wire.
	 */
	private CompletableFuture<R> requestSafely(List<Group<T, R>> trip) {
		try {
			return request(trip);
		}
		catch (Throwable ex) {
			return CompletableFuture.failedFuture(ex);
		}
	}

	/**
	 * Sends a trip on the open lane, or on a new one if there is none or the store forgot
	 * it: a lane that is gone did nothing.
	 */
	private CompletableFuture<R> request(List<Group<T, R>> trip) {
		List<T> items = (trip.size() == 1) ? trip.get(0).items
				: trip.stream().flatMap((group) -> group.items.stream()).toList();
		String current = this.lane;
		if (current == null) {
			return requestOnNewLane(items);
		}
		this.seq++;
		return transmit(current, this.seq, items).thenCompose((reply) -> (status(reply) == LaneStatus.GONE)
				? requestOnNewLane(items) : CompletableFuture.completedFuture(reply));
	}

	private CompletableFuture<R> requestOnNewLane(List<T> items) {
		return open().thenCompose((opened) -> {
			this.lane = opened;
			this.seq = 1;
			return transmit(opened, this.seq, items);
		});
	}

	private void deliver(List<Group<T, R>> trip, R reply) {
		LaneStatus status = status(reply);
		if (status == LaneStatus.GONE || status == LaneStatus.STALE) {
			StoreException failure = new StoreException(
					"The queue '" + this.queue + "' did not take a request of its lane: " + status, null);
			trip.forEach((group) -> group.result.completeExceptionally(failure));
			return;
		}
		int first = 0;
		for (Group<T, R> group : trip) {
			group.result.complete(part(reply, first, group.items.size()));
			first += group.items.size();
		}
	}

	/**
	 * What goes together.
	 */
	private static final class Group<T, R> {

		private final List<T> items;

		private final long bytes;

		private final CompletableFuture<R> result;

		private boolean alone;

		Group(List<T> items, long bytes, CompletableFuture<R> result) {
			this.items = items;
			this.bytes = bytes;
			this.result = result;
		}

	}

}
