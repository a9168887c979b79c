package io.redelay.queue.store;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;

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

	private final Rollback.Lane kind;

	private final ReplayMemory memory;

	private final long renewalNanos;

	private final long recognisedNanos;

	private final ByteBudget budget;

	private final Deque<Group<T, R>> waiting = new ArrayDeque<>();

	private int waitingItems;

	private final Linger linger = new Linger();

	private boolean looking;

	/**
	 * Whether somebody is going to look after lanes that nothing is sent on.
	 */
	private final AtomicBoolean checking = new AtomicBoolean();

	private final Runnable checkNow = this::checkNow;

	private final Lane first;

	private final Lane second;

	/**
	 * How many groups are on their way.
	 */
	private int onTheirWay;

	/**
	 * How many lanes are being checked, which may send again what came before all that
	 * waits.
	 */
	private int underCheck;

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
	 * @param recognised for how long after that Redis certainly remembers it
	 * @param budget how large what is not answered may be
	 * @param kind what its lanes are for
	 * @param memory what is remembered for when Redis goes back in time
	 */
	RequestBatcher(String queue, int maxTogether, int maxWaiting, Duration renewal, Duration recognised,
			ByteBudget budget, Rollback.Lane kind, ReplayMemory memory) {
		this.queue = queue;
		this.kind = kind;
		this.memory = memory;
		this.maxTogether = maxTogether;
		this.maxWaiting = maxWaiting;
		this.renewalNanos = renewal.toNanos();
		this.recognisedNanos = recognised.toNanos();
		this.budget = budget;
		this.first = new Lane();
		this.second = new Lane();
	}

	/**
	 * Opens a new lane.
	 * @return its name, when it is open
	 */
	abstract CompletableFuture<String> open();

	/**
	 * Sends a request.
	 * @param renews whether the lane is to be remembered for longer
	 * @param again whether it may have been carried out before
	 */
	abstract CompletableFuture<R> transmit(String lane, long seq, boolean renews, List<T> items, boolean again);

	/**
	 * Sends a request that was answered, and that Redis has forgotten, once more.
	 */
	abstract CompletableFuture<R> repeat(String lane, long seq, List<T> items);

	/**
	 * What of a request is to be sent once more if Redis forgets it.
	 */
	List<T> repeatable(List<T> items) {
		return items;
	}

	/**
	 * Asks which request of a lane is the last one that Redis remembers.
	 */
	abstract CompletableFuture<SenderState> check(String lane);

	abstract LaneStatus status(R reply);

	/**
	 * The store's clock when it replied.
	 */
	abstract Instant time(R reply);

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
			this.retired = this.waiting.isEmpty() && this.onTheirWay == 0 && this.first.isAtRest()
					&& this.second.isAtRest() && System.nanoTime() - this.lastUsedNanos >= idleNanos;
			return this.retired;
		}
	}

	private @Nullable Departure nextDeparture() {
		boolean two = this.ordered == 0 && this.linger.isForTwo();
		Lane lane = this.first.busy ? this.second : this.first;
		if (this.waiting.isEmpty() || lane.busy || (this.onTheirWay + this.underCheck > 0 && !two)
				|| isLingering(two)) {
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

	/**
	 * Lanes that nothing is sent on any more learn in this way that Redis went back.
	 */
	private void checkLater() {
		if (this.memory.isEnabled() && this.checking.compareAndSet(false, true)) {
			this.memory.watch(this.checkNow);
			try {
				CompletableFuture.delayedExecutor(this.memory.duration().toNanos(), TimeUnit.NANOSECONDS, Runnable::run)
					.execute(this::checkLanes);
			}
			catch (RejectedExecutionException | OutOfMemoryError ex) {
				// The next request tries again.
				this.checking.set(false);
			}
		}
	}

	private void checkLanes() {
		this.checking.set(false);
		if (!this.memory.isEnabled()) {
			return;
		}
		if (this.first.answered.isEmpty() && this.second.answered.isEmpty()) {
			this.memory.unwatch(this.checkNow);
			return;
		}
		if (this.first.answered.isToBeChecked()) {
			check(this.first, true);
		}
		if (this.second.answered.isToBeChecked()) {
			check(this.second, true);
		}
		checkLater();
	}

	private void checkNow() {
		check(this.first, false);
		check(this.second, false);
	}

	/**
	 * Checks a lane that has nothing on its way; what is on its way tells by itself.
	 */
	private void check(Lane lane, boolean forgets) {
		synchronized (this.waiting) {
			if (lane.busy || lane.answered.isEmpty()) {
				return;
			}
			lane.busy = true;
			this.underCheck++;
		}
		CompletableFuture<?> checked;
		try {
			checked = lane.check(forgets);
		}
		catch (Throwable ex) {
			checked = CompletableFuture.failedFuture(ex);
		}
		checked.whenComplete((done, failure) -> {
			Departure next;
			synchronized (this.waiting) {
				lane.busy = false;
				this.underCheck--;
				next = nextDeparture();
			}
			depart(next);
		});
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

	private static boolean isUnknown(LaneStatus status) {
		return status == LaneStatus.GONE || status == LaneStatus.BEHIND || status == LaneStatus.DELETED;
	}

	private void deliver(List<Group<T, R>> trip, R reply) {
		LaneStatus status = status(reply);
		if (isUnknown(status) || status == LaneStatus.STALE) {
			StoreException failure = new StoreException(
					"The queue '" + this.queue + "' did not take a request of its lane: " + (isUnknown(status)
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
	 * Has one request on its way at a time. Remembers those that were answered, and sends
	 * again what a Redis that went back in time has forgotten of them.
	 */
	private final class Lane {

		private final ReplayBuffer<T> answered = new ReplayBuffer<>(RequestBatcher.this.memory);

		private boolean busy;

		private @Nullable String name;

		/**
		 * The lane before, if it is unknown what became of its last request, or if not
		 * all is sent again yet that is to be sent again on it.
		 */
		private @Nullable String abandoned;

		private long seq;

		private long renewedNanos;

		/**
		 * The store's clock when it last answered.
		 */
		private Instant answeredAt = Instant.EPOCH;

		/**
		 * Whether nothing is on its way, and nothing is remembered.
		 */
		boolean isAtRest() {
			return !this.busy && this.answered.isEmpty();
		}

		/**
		 * Sends groups. Whatever comes of it, the lane must not stay busy.
		 */
		CompletableFuture<R> request(List<Group<T, R>> trip) {
			try {
				List<T> items = (trip.size() == 1) ? trip.get(0).items
						: trip.stream().flatMap((group) -> group.items.stream()).toList();
				return requestItems(items).whenComplete((reply, failure) -> {
					if (failure != null) {
						failed(failure);
					}
				});
			}
			catch (Throwable ex) {
				failed(ex);
				return CompletableFuture.failedFuture(ex);
			}
		}

		/**
		 * A request that certainly was not carried out leaves the lane as it was. After
		 * one of which that is unknown, another lane is needed.
		 */
		private void failed(Throwable thrown) {
			Throwable failure = (thrown instanceof CompletionException && thrown.getCause() != null) ? thrown.getCause()
					: thrown;
			if (failure instanceof StoreException && !(failure instanceof OutcomeUnknownException)) {
				this.seq = this.answered.last();
			}
			else if (this.name != null) {
				this.abandoned = this.name;
				this.name = null;
			}
		}

		/**
		 * Sends items on the open lane, or on a new one if there is none or the store
		 * forgot it: a lane that is gone did nothing.
		 */
		private CompletableFuture<R> requestItems(List<T> items) {
			String current = this.name;
			String before = this.abandoned;
			if (current == null) {
				return requestOn((before != null) ? repair(before) : openLane(), items, false, 1);
			}
			long now = System.nanoTime();
			if (now - this.renewedNanos > RequestBatcher.this.recognisedNanos && this.answered.isEmpty()) {
				// That Redis has forgotten it must not look as if it had gone back in
				// time.
				return requestOn(openLane(), items, false, 1);
			}
			this.seq++;
			boolean renews = now - this.renewedNanos > RequestBatcher.this.renewalNanos;
			if (renews) {
				this.renewedNanos = now;
			}
			return transmit(current, this.seq, renews, items, false).thenCompose((reply) -> switch (status(reply)) {
				case GONE, BEHIND -> requestOn(repair(current), items, true, 1);
				case DELETED -> requestOn(openLane(), items, false, 1);
				default -> CompletableFuture.completedFuture(remember(items, reply));
			});
		}

		private CompletableFuture<R> requestOn(CompletableFuture<String> lane, List<T> items, boolean again,
				int opening) {
			return lane.exceptionallyCompose((failure) -> CompletableFuture.failedFuture(notOpened(failure)))
				.thenCompose((opened) -> transmit(opened, ++this.seq, false, items, again).thenCompose((reply) -> {
					LaneStatus status = status(reply);
					if (!isUnknown(status) || opening == MAX_OPENINGS) {
						return CompletableFuture.completedFuture(remember(items, reply));
					}
					return requestOn((status == LaneStatus.DELETED) ? openLane() : repair(opened), items, again,
							opening + 1);
				}));
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

		/**
		 * Opens a new lane, and forgets what was answered on the one before.
		 */
		private CompletableFuture<String> openLane() {
			this.renewedNanos = System.nanoTime();
			return open().thenApply((opened) -> {
				this.answered.clear();
				this.abandoned = null;
				this.name = opened;
				this.seq = 0;
				return opened;
			});
		}

		private R remember(List<T> items, R reply) {
			this.answeredAt = time(reply);
			List<T> repeatable = (status(reply) == LaneStatus.OK) ? repeatable(items) : List.of();
			long bytes = ReplayBuffer.ENTRY_SIZE;
			for (T item : repeatable) {
				bytes += bytes(item);
			}
			this.answered.add(this.seq, repeatable, bytes);
			checkLater();
			return reply;
		}

		/**
		 * Opens a new lane in place of one of which Redis may have forgotten what was
		 * answered: if Redis went back in time, and has not merely forgotten the lane in
		 * the course of time, what it forgot is sent again.
		 * @param lane the name of the lane
		 * @return the name of the new lane
		 */
		private CompletableFuture<String> repair(String lane) {
			return RequestBatcher.this.check(lane).thenCompose((state) -> {
				boolean known = state.status() == LaneStatus.OK;
				boolean expired = !known
						&& Duration.between(this.answeredAt, state.time()).compareTo(SenderMemory.RECOGNISED) >= 0;
				long remembered = expired ? Long.MAX_VALUE : known ? state.last() : 0;
				long lost = this.answered.last() - remembered;
				List<ReplayBuffer.Entry<T>> forgotten = new ArrayList<>(this.answered.after(remembered));
				long harmless = forgotten.size();
				forgotten.removeIf((entry) -> entry.items().isEmpty());
				long missed = lost - (harmless - forgotten.size());
				CompletableFuture<String> opening = openLane();
				return (missed <= 0) ? opening : opening.thenCompose((opened) -> sendAgain(opened, forgotten, missed));
			});
		}

		/**
		 * Sends again what Redis has forgotten. If that fails, the rest is remembered as
		 * what the new lane has forgotten.
		 * @return the name of the lane
		 */
		private CompletableFuture<String> sendAgain(String lane, List<ReplayBuffer.Entry<T>> forgotten, long lost) {
			long number = 0;
			for (ReplayBuffer.Entry<T> entry : forgotten) {
				this.answered.add(++number, entry.items(), entry.bytes());
			}
			checkLater();
			this.abandoned = lane;
			this.name = null;
			return sendAgain(lane, forgotten, new Repeated(0, 0), lost).whenComplete((opened, failure) -> {
				if (failure != null) {
					report(lost, new Repeated(forgotten.size(), 0));
				}
			});
		}

		private void report(long forgotten, Repeated repeated) {
			RequestBatcher.this.memory.report(new Rollback(RequestBatcher.this.queue, RequestBatcher.this.kind,
					forgotten, repeated.items, 0, forgotten - repeated.requests));
		}

		private CompletableFuture<String> sendAgain(String lane, List<ReplayBuffer.Entry<T>> forgotten,
				Repeated repeated, long lost) {
			if (forgotten.isEmpty()) {
				this.abandoned = null;
				this.name = lane;
				report(lost, repeated);
				return CompletableFuture.completedFuture(lane);
			}
			List<T> items = forgotten.get(0).items();
			return repeat(lane, ++this.seq, items).thenCompose((reply) -> {
				LaneStatus status = status(reply);
				if (status == LaneStatus.DELETED) {
					return openLane();
				}
				if (isUnknown(status)) {
					return CompletableFuture.failedFuture(new StoreException("Redis went back in time again, while what"
							+ " it had forgotten of the queue '" + RequestBatcher.this.queue + "' was sent again",
							null));
				}
				this.answeredAt = time(reply);
				return sendAgain(lane, forgotten.subList(1, forgotten.size()),
						(status == LaneStatus.OK) ? repeated.and(items.size()) : repeated, lost);
			});
		}

		/**
		 * Looks whether Redis remembers the last request of the lane.
		 * @param forgets whether nothing needs to be remembered here if it does
		 */
		CompletableFuture<?> check(boolean forgets) {
			String current = this.name;
			if (current == null) {
				String before = this.abandoned;
				return (before != null) ? repair(before) : CompletableFuture.completedFuture(null);
			}
			long last = this.answered.last();
			return RequestBatcher.this.check(current).thenCompose((state) -> {
				if (state.status() == LaneStatus.OK && state.last() >= last) {
					if (forgets) {
						this.answered.forgetAll();
					}
					return CompletableFuture.completedFuture(current);
				}
				return repair(current);
			});
		}

	}

	/**
	 * What Redis took that it had forgotten.
	 *
	 * @param requests how many requests
	 * @param items of how many items
	 */
	private record Repeated(long requests, long items) {

		Repeated and(int more) {
			return new Repeated(this.requests + 1, this.items + more);
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
