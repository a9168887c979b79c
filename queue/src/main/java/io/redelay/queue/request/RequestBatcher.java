package io.redelay.queue.request;

import java.util.List;
import java.util.concurrent.CompletableFuture;

import io.redelay.scheduling.Scheduler;
import org.jspecify.annotations.Nullable;

/**
 * Puts submissions into requests, each of which is carried out once. One request is on
 * the wire at a time. Submissions made meanwhile go together in the next one, which may
 * wait a moment for more: see {@link Linger}.
 * <p>
 * While many callers submit and no submission is ordered, two requests are on the wire,
 * each on a lane of its own. So Redis works while the answered callers wake up. If a
 * submission is ordered, a request is answered before the next one leaves.
 * <p>
 * Safe for use by many threads. Futures complete on threads that must not be blocked.
 *
 * @param <T> what a request is made of
 * @param <R> the reply
 * @since 0.1.0
 */
public final class RequestBatcher<T, R extends LaneReply<R>> {

	private final RequestProtocol<T, R> protocol;

	private final Scheduler scheduler;

	/**
	 * The submissions that wait for a request. Its monitor guards the batcher.
	 */
	private final SubmissionQueue<T, R> waiting;

	private final Linger linger = new Linger();

	/**
	 * Whether the timer is going to look whether a request is to leave.
	 */
	private boolean lookScheduled;

	private final RequestLane<T, R> first;

	private final RequestLane<T, R> second;

	private final LaneChecks<T, R> checks;

	/**
	 * How many submissions are in requests on the wire.
	 */
	private int unanswered;

	private long lastUsedNanos;

	private boolean retired;

	/**
	 * Creates a batcher by itself, whose lanes are opened when they are first used.
	 * @param protocol how the requests are made
	 * @param memory the requests that are remembered in case Redis goes back in time
	 */
	public RequestBatcher(RequestProtocol<T, R> protocol, ReplayMemory memory) {
		this(protocol, new ByteBudget(Long.MAX_VALUE), memory);
	}

	/**
	 * Creates a batcher, whose lanes are opened when they are first used.
	 * @param protocol how the requests are made
	 * @param budget the size of everything that Redis has not answered
	 * @param memory the requests that are remembered in case Redis goes back in time
	 */
	RequestBatcher(RequestProtocol<T, R> protocol, ByteBudget budget, ReplayMemory memory) {
		this.protocol = protocol;
		this.scheduler = memory.scheduler();
		this.waiting = new SubmissionQueue<>(protocol.settings(), budget);
		this.first = new RequestLane<>(protocol, memory, this::remembered);
		this.second = new RequestLane<>(protocol, memory, this::remembered);
		this.checks = new LaneChecks<>(memory, List.of(this.first, this.second), this::check);
		this.lastUsedNanos = this.scheduler.nanoTime();
	}

	private void remembered() {
		this.checks.schedule();
	}

	/**
	 * Sends items, all in one request.
	 * @param items the items
	 * @param ordered whether they are carried out before later submissions, and after
	 * earlier ordered ones
	 * @return the reply
	 */
	public CompletableFuture<R> submit(List<T> items, boolean ordered) {
		CompletableFuture<R> result = submitUnlessRetired(items, ordered);
		if (result == null) {
			throw new IllegalStateException(
					"The batcher of the queue '" + this.protocol.settings().queue() + "' is retired");
		}
		return result;
	}

	/**
	 * Sends items, all in one request.
	 * @return the reply, or {@code null} if another batcher is to be used
	 */
	@Nullable CompletableFuture<R> submitUnlessRetired(List<T> items, boolean ordered) {
		long bytes = 0;
		for (T item : items) {
			bytes += this.protocol.bytes().applyAsLong(item);
		}
		Submission<T, R> submission = new Submission<>(items, bytes, ordered);
		Departure<T, R> departure;
		synchronized (this.waiting) {
			if (this.retired) {
				return null;
			}
			StoreException refused = this.waiting.add(submission);
			if (refused != null) {
				return CompletableFuture.failedFuture(refused);
			}
			departure = nextDeparture();
		}
		depart(departure);
		return submission.result();
	}

	/**
	 * Ends the use of this batcher if it has had nothing to do for some time.
	 * @return whether it takes nothing any more, which does not change again
	 */
	boolean retireIfIdle(long idleNanos) {
		synchronized (this.waiting) {
			this.retired |= this.waiting.isEmpty() && this.first.isAtRest() && this.second.isAtRest()
					&& this.scheduler.nanoTime() - this.lastUsedNanos >= idleNanos;
			return this.retired;
		}
	}

	private @Nullable Departure<T, R> nextDeparture() {
		boolean two = !this.waiting.hasOrdered() && this.linger.isForTwo();
		RequestLane<T, R> lane = isBusy(this.first) ? this.second : this.first;
		boolean taken = isBusy(lane) || (!two && (isBusy(this.first) || isBusy(this.second)));
		if (this.waiting.isEmpty() || taken || isLingering(two)) {
			return null;
		}
		List<Submission<T, R>> batch = this.waiting.next();
		lane.become(RequestLane.Activity.REQUESTING);
		this.unanswered += batch.size();
		return new Departure<>(lane, batch, this.scheduler.nanoTime());
	}

	private static boolean isBusy(RequestLane<?, ?> lane) {
		return lane.activity() != RequestLane.Activity.IDLE;
	}

	private boolean isLingering(boolean two) {
		if (this.waiting.fillsRequest()) {
			return false;
		}
		long rest = this.linger.rest(this.waiting.size(), two, this.scheduler.nanoTime());
		if (rest > 0 && !this.lookScheduled) {
			// If the timer refuses, the request leaves now: no later look would send it.
			this.lookScheduled = this.scheduler.schedule(this::look, rest) != null;
		}
		return rest > 0 && this.lookScheduled;
	}

	private void look() {
		Departure<T, R> departure;
		synchronized (this.waiting) {
			this.lookScheduled = false;
			departure = nextDeparture();
		}
		depart(departure);
	}

	private void depart(@Nullable Departure<T, R> first) {
		for (Departure<T, R> departure = first; departure != null;) {
			Departure<T, R> departing = departure;
			departing.lane.request(departing.batch)
				.whenComplete((reply, failure) -> answered(departing, reply, failure));
			synchronized (this.waiting) {
				departure = nextDeparture();
			}
		}
	}

	private void check(RequestLane<T, R> lane, boolean forgets) {
		synchronized (this.waiting) {
			if (isBusy(lane) || !lane.remembers()) {
				return;
			}
			lane.become(RequestLane.Activity.CHECKING);
		}
		CompletableFuture<?> checked;
		try {
			checked = lane.check(forgets);
		}
		catch (Throwable ex) {
			checked = CompletableFuture.failedFuture(ex);
		}
		checked.whenComplete((done, failure) -> {
			Departure<T, R> next;
			synchronized (this.waiting) {
				lane.become(RequestLane.Activity.IDLE);
				next = nextDeparture();
			}
			depart(next);
		});
	}

	private void answered(Departure<T, R> departure, @Nullable R reply, @Nullable Throwable failure) {
		List<Submission<T, R>> batch = departure.batch;
		boolean again = reply != null && batch.size() > 1 && reply.isTooMany();
		Departure<T, R> next;
		synchronized (this.waiting) {
			departure.lane.become(RequestLane.Activity.IDLE);
			this.lastUsedNanos = this.scheduler.nanoTime();
			this.linger.answered(this.unanswered + this.waiting.size(), this.lastUsedNanos,
					this.lastUsedNanos - departure.sinceNanos);
			this.unanswered -= batch.size();
			if (again) {
				this.waiting.putBackAlone(batch);
			}
			else {
				this.waiting.finished(batch);
			}
			next = nextDeparture();
		}
		try {
			depart(next);
		}
		finally {
			if (failure != null) {
				fail(batch, failure);
			}
			else if (reply != null && !again) {
				deliver(departure, reply);
			}
		}
	}

	private void fail(List<Submission<T, R>> batch, Throwable failure) {
		Throwable cause = StoreException.cause(failure);
		batch.forEach((submission) -> submission.result().completeExceptionally(cause));
	}

	private void deliver(Departure<T, R> departure, R reply) {
		StoreException refusal = departure.lane.refusal(reply);
		if (refusal != null) {
			fail(departure.batch, refusal);
			return;
		}
		int first = 0;
		for (Submission<T, R> submission : departure.batch) {
			int size = submission.items().size();
			submission.result().complete(reply.part(first, size));
			first += size;
		}
	}

	/**
	 * A request that is about to leave.
	 */
	private record Departure<T, R extends LaneReply<R>>(RequestLane<T, R> lane, List<Submission<T, R>> batch,
			long sinceNanos) {
	}

}
