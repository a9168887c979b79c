package io.redelay.queue.store;

import java.time.Duration;
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
 * Sends what is given to it in requests, each of which is carried out once. One is on its
 * way at a time; what comes meanwhile waits and goes together in the next one, with what
 * those send who were just answered: see {@link Linger}.
 * <p>
 * While many send and no order is to be kept, two requests are on their way, each on a
 * lane of its own, so that Redis works while those are woken up who were answered. Where
 * an order counts, a request is answered before the next one leaves.
 * <p>
 * Safe for use by many threads. Futures complete on threads that must not be blocked.
 *
 * @param <T> what a request is made of
 * @param <R> the reply
 */
abstract class RequestBatcher<T, R> {

	private static final int MAX_BYTES = 4 * 1024 * 1024;

	/**
	 * How often a lane is opened for one request, which finds it gone if the queue was
	 * deleted in between.
	 */
	private static final int MAX_OPENINGS = 10;

	private final String queue;

	private final int maxTogether;

	private final int maxWaiting;

	private final long renewalNanos;

	private final ByteBudget budget;

	private final Deque<Group<T, R>> waiting = new ArrayDeque<>();

	private int waitingItems;

	private final Linger linger = new Linger();

	private boolean looking;

	private final Lane first = new Lane();

	private final Lane second = new Lane();

	/**
	 * How many groups are on their way.
	 */
	private int onTheirWay;

	/**
	 * How many groups wait or are on their way whose order counts.
	 */
	private int ordered;

	private long lastUsedNanos = System.nanoTime();

	private boolean retired;

	/**
	 * Creates a batcher, whose lanes are opened when they are first used.
	 * @param queue the queue
	 * @param maxTogether how much goes together at most
	 * @param maxWaiting how much waits at most; more is refused
	 * @param renewal how often a lane in use is renewed
	 * @param budget how large what is not answered may be
	 */
	RequestBatcher(String queue, int maxTogether, int maxWaiting, Duration renewal, ByteBudget budget) {
		this.queue = queue;
		this.maxTogether = maxTogether;
		this.maxWaiting = maxWaiting;
		this.renewalNanos = renewal.toNanos();
		this.budget = budget;
	}

	/**
	 * Opens a new lane.
	 * @return its name, when it is open
	 */
	abstract CompletableFuture<String> open();

	/**
	 * Sends a request.
	 * @param renews whether the lane is to be remembered for longer
	 */
	abstract CompletableFuture<R> transmit(String lane, long seq, boolean renews, List<T> items);

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
	 * @param items the items
	 * @param inOrder whether they are carried out before what is submitted later, and
	 * after what was submitted in order before
	 */
	final CompletableFuture<R> submit(List<T> items, boolean inOrder) {
		CompletableFuture<R> result = submitUnlessRetired(items, inOrder);
		if (result == null) {
			throw new IllegalStateException("The batcher of the queue '" + this.queue + "' is retired");
		}
		return result;
	}

	/**
	 * Sends items, all in one request.
	 * @return the reply, or {@code null} if another batcher is to be used
	 */
	final @Nullable CompletableFuture<R> submitUnlessRetired(List<T> items, boolean inOrder) {
		long bytes = 0;
		for (T item : items) {
			bytes += bytes(item);
		}
		Group<T, R> group = new Group<>(items, bytes, inOrder);
		Departure departure;
		synchronized (this.waiting) {
			if (this.retired) {
				return null;
			}
			if (this.waitingItems > 0 && this.waitingItems + items.size() > this.maxWaiting) {
				return CompletableFuture.failedFuture(
						new StoreException(this.waitingItems + " messages already wait to be sent to the queue '"
								+ this.queue + "': Redis is slower than the senders", null));
			}
			if (!this.budget.take(bytes)) {
				return CompletableFuture.failedFuture(new StoreException(this.budget.taken()
						+ " bytes already wait for Redis' answer, and 'redelay.queue.send.max-waiting-size' allows "
						+ this.budget.limit() + ": Redis is slower than the senders", null));
			}
			this.waiting.add(group);
			this.waitingItems += items.size();
			this.ordered += inOrder ? 1 : 0;
			departure = nextDeparture();
		}
		depart(departure);
		return group.result;
	}

	/**
	 * Ends the use of this batcher if it has had nothing to do for some time.
	 * @return whether it takes nothing any more
	 */
	final boolean retireIfIdle(long idleNanos) {
		synchronized (this.waiting) {
			this.retired = this.waiting.isEmpty() && this.onTheirWay == 0
					&& System.nanoTime() - this.lastUsedNanos >= idleNanos;
			return this.retired;
		}
	}

	private @Nullable Departure nextDeparture() {
		boolean two = this.ordered == 0 && this.linger.isForTwo();
		Lane lane = this.first.busy ? this.second : this.first;
		if (this.waiting.isEmpty() || lane.busy || (this.onTheirWay > 0 && !two) || isLingering(two)) {
			return null;
		}
		Departure departure = new Departure(lane);
		int items = 0;
		long bytes = 0;
		for (Group<T, R> next = this.waiting.peek(); next != null; next = this.waiting.peek()) {
			items += next.items.size();
			bytes += next.bytes;
			boolean isFirst = departure.trip.isEmpty();
			if (!isFirst && (next.alone || items > this.maxTogether || bytes > MAX_BYTES)) {
				break;
			}
			departure.trip.add(next);
			this.waiting.remove();
			this.waitingItems -= next.items.size();
			if (next.alone) {
				break;
			}
		}
		lane.busy = true;
		this.onTheirWay += departure.trip.size();
		return departure;
	}

	private boolean isLingering(boolean two) {
		if (this.waitingItems >= this.maxTogether) {
			return false;
		}
		long rest = this.linger.rest(this.waiting.size(), two, System.nanoTime());
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
		Departure departure;
		synchronized (this.waiting) {
			this.looking = false;
			departure = nextDeparture();
		}
		depart(departure);
	}

	private void depart(@Nullable Departure first) {
		for (Departure departure = first; departure != null;) {
			Departure departing = departure;
			departing.lane.request(departing.trip)
				.whenComplete((reply, failure) -> answered(departing, reply, failure));
			synchronized (this.waiting) {
				departure = nextDeparture();
			}
		}
	}

	private void answered(Departure departure, @Nullable R reply, @Nullable Throwable failure) {
		List<Group<T, R>> trip = departure.trip;
		boolean again = reply != null && trip.size() > 1 && isTooMany(reply);
		Departure next;
		synchronized (this.waiting) {
			departure.lane.busy = false;
			this.lastUsedNanos = System.nanoTime();
			this.linger.answered(this.onTheirWay + this.waiting.size(), this.lastUsedNanos);
			this.onTheirWay -= trip.size();
			if (again) {
				separate(trip);
			}
			else {
				trip.forEach((group) -> {
					this.ordered -= group.inOrder ? 1 : 0;
					this.budget.giveBack(group.bytes);
				});
			}
			next = nextDeparture();
		}
		try {
			depart(next);
		}
		finally {
			if (failure != null) {
				fail(trip, failure);
			}
			else if (reply != null && !again) {
				deliver(trip, reply);
			}
		}
	}

	private void fail(List<Group<T, R>> trip, Throwable failure) {
		Throwable cause = (failure instanceof CompletionException && failure.getCause() != null) ? failure.getCause()
				: failure;
		trip.forEach((group) -> group.result.completeExceptionally(cause));
	}

	private void separate(List<Group<T, R>> trip) {
		for (int i = trip.size() - 1; i >= 0; i--) {
			Group<T, R> group = trip.get(i);
			group.alone = true;
			this.waiting.addFirst(group);
			this.waitingItems += group.items.size();
		}
	}

	private void deliver(List<Group<T, R>> trip, R reply) {
		LaneStatus status = status(reply);
		if (status == LaneStatus.GONE || status == LaneStatus.STALE) {
			StoreException failure = new StoreException(
					"The queue '" + this.queue + "' did not take a request of its lane: " + ((status == LaneStatus.GONE)
							? "it was deleted each of the " + MAX_OPENINGS + " times that a lane was opened" : status),
					null);
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
	 * Has one request on its way at a time.
	 */
	private final class Lane {

		private boolean busy;

		private @Nullable String name;

		private long seq;

		private long renewedNanos;

		/**
		 * Sends groups. Whatever comes of it, the lane must not stay busy.
		 */
		CompletableFuture<R> request(List<Group<T, R>> trip) {
			try {
				List<T> items = (trip.size() == 1) ? trip.get(0).items
						: trip.stream().flatMap((group) -> group.items.stream()).toList();
				return request(this.name, items).whenComplete((reply, failure) -> {
					if (failure != null) {
						this.name = null;
					}
				});
			}
			catch (Throwable ex) {
				this.name = null;
				return CompletableFuture.failedFuture(ex);
			}
		}

		/**
		 * Sends items on the open lane, or on a new one if there is none or the store
		 * forgot it: a lane that is gone did nothing.
		 */
		private CompletableFuture<R> request(@Nullable String current, List<T> items) {
			if (current == null) {
				return requestOnNewLane(items, 1);
			}
			this.seq++;
			long now = System.nanoTime();
			boolean renews = now - this.renewedNanos > RequestBatcher.this.renewalNanos;
			if (renews) {
				this.renewedNanos = now;
			}
			return transmit(current, this.seq, renews, items).thenCompose((reply) -> (status(reply) == LaneStatus.GONE)
					? requestOnNewLane(items, 1) : CompletableFuture.completedFuture(reply));
		}

		private CompletableFuture<R> requestOnNewLane(List<T> items, int opening) {
			this.renewedNanos = System.nanoTime();
			return open().exceptionallyCompose((failure) -> CompletableFuture.failedFuture(notOpened(failure)))
				.thenCompose((opened) -> {
					this.name = opened;
					this.seq = 1;
					return transmit(opened, this.seq, false, items);
				})
				.thenCompose((reply) -> (status(reply) == LaneStatus.GONE && opening < MAX_OPENINGS)
						? requestOnNewLane(items, opening + 1) : CompletableFuture.completedFuture(reply));
		}

		/**
		 * Whether the lane was opened may be unknown; but its request never left, which
		 * is what matters to whoever made it.
		 */
		private Throwable notOpened(Throwable thrown) {
			Throwable failure = (thrown instanceof CompletionException && thrown.getCause() != null) ? thrown.getCause()
					: thrown;
			return (failure instanceof OutcomeUnknownException) ? new StoreException(
					"no lane of the queue '" + RequestBatcher.this.queue + "' could be opened: " + failure.getMessage(),
					failure, StoreException.isAway(failure)) : failure;
		}

	}

	/**
	 * A request that is about to leave.
	 */
	private final class Departure {

		private final Lane lane;

		private final List<Group<T, R>> trip = new ArrayList<>();

		Departure(Lane lane) {
			this.lane = lane;
		}

	}

	/**
	 * What goes together.
	 */
	private static final class Group<T, R> {

		private final List<T> items;

		private final long bytes;

		private final boolean inOrder;

		private final CompletableFuture<R> result = new CompletableFuture<>();

		private boolean alone;

		Group(List<T> items, long bytes, boolean inOrder) {
			this.items = items;
			this.bytes = bytes;
			this.inOrder = inOrder;
		}

	}

}
