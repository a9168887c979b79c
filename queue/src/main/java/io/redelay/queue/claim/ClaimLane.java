package io.redelay.queue.claim;

import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.HashSet;
import java.util.Iterator;
import java.util.List;
import java.util.NavigableSet;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentSkipListSet;

import io.redelay.queue.failure.Causes;
import io.redelay.queue.invariant.Invariant;
import io.redelay.queue.invariant.Invariants;
import io.redelay.queue.message.ClaimLimits;
import io.redelay.queue.message.ScriptTime;
import io.redelay.queue.message.Settlement;
import io.redelay.queue.request.LaneStatus;
import io.redelay.queue.request.OutcomeUnknownException;
import io.redelay.queue.request.ReplayBuffer;
import io.redelay.queue.request.StoreException;
import io.redelay.queue.script.ClaimReply;
import io.redelay.queue.script.ClaimRequest;
import io.redelay.queue.script.LaneScript;
import io.redelay.queue.script.QueueScripts;
import io.redelay.queue.script.RenewLaneScript;
import io.redelay.queue.script.ResumeScript;
import io.redelay.queue.script.WorkReply;
import io.redelay.queue.script.WorkRequest;
import io.redelay.queue.script.WorkScript;
import org.jspecify.annotations.Nullable;

/**
 * The lane on which one consumer claims from one queue. It is opened when needed and
 * numbers its requests. Another lane follows it when the store no longer knows it, or not
 * its last requests.
 * <p>
 * For use by one caller at a time, which waits for the reply to a request before the next
 * one. Only {@link #renew()}, {@link #keepWork} and {@link #name()} may be called
 * meanwhile. Futures complete on threads that must not be blocked.
 *
 * @since 0.1.0
 */
public final class ClaimLane {

	private final QueueScripts scripts;

	private final String queue;

	private final Duration lease;

	private final boolean registering;

	private final Invariants invariants;

	private final ClaimLimits limits;

	private final ReplayBuffer<Settlement> settled;

	private final RetryTimes retries;

	private volatile @Nullable String name;

	/**
	 * The number of the last request that was answered.
	 */
	private volatile long answered;

	private Instant answeredAt = Instant.EPOCH;

	private long answeredNanos;

	private boolean unanswered;

	private @Nullable Takeover takeover;

	/**
	 * Creates a lane.
	 * @param scripts the scripts of the server
	 * @param queue the queue
	 * @param lease how long it lives without being renewed
	 * @param limits how many its claims may take
	 * @param registering whether it makes the queue's name known; not if another lane
	 * does
	 * @param retries the due times of messages that failed on this lane, and on others of
	 * the same consumer
	 * @param invariants called when the number of a request does not follow the last one
	 */
	public ClaimLane(QueueScripts scripts, String queue, Duration lease, ClaimLimits limits, boolean registering,
			RetryTimes retries, Invariants invariants) {
		this.scripts = scripts;
		this.queue = queue;
		this.lease = lease;
		this.limits = limits;
		this.registering = registering;
		this.retries = retries;
		this.invariants = invariants;
		this.settled = new ReplayBuffer<>(scripts.replayMemory());
	}

	/**
	 * Returns the name under which the store knows the lane now.
	 * @return the name, or {@code null} if it is not open
	 */
	public @Nullable String name() {
		return this.name;
	}

	/**
	 * Returns whether it is unknown if the last request was carried out. Then the next
	 * one must have the same settlements: it is the same request, sent again.
	 * @return whether it is
	 */
	public boolean isUnanswered() {
		return this.unanswered;
	}

	/**
	 * Opens the lane if it is not open.
	 * @return a future that completes when it is open
	 */
	public CompletableFuture<Void> open() {
		if (this.name != null) {
			return CompletableFuture.completedFuture(null);
		}
		String opened = this.scripts.newLane();
		return open(opened, this.answered).thenRun(() -> this.name = opened);
	}

	private CompletableFuture<Void> open(String opened, long before) {
		// In this order: see QueueNames#forget.
		return new LaneScript(this.scripts).open(this.queue, opened, this.lease, before)
			.thenCompose((open) -> this.registering ? this.scripts.names().addQueue(this.queue)
					: CompletableFuture.completedFuture(null));
	}

	/**
	 * Settles and claims on the open lane. A request that fails leaves the lane open: if
	 * it certainly was not carried out, the next one may differ; otherwise see
	 * {@link #isUnanswered()}. If the store does not know the lane or its last requests,
	 * the lane must be resumed; if the queue was deleted, it must be opened again.
	 * @param wanted how many messages to claim at most
	 * @param behind how many more to claim behind each of these that has an ordering key
	 * @param maxBytes how large they are together at most
	 * @param suspect whether one of them may be a suspect
	 * @param sleep the time after which the caller claims again by itself if it is given
	 * nothing, or zero
	 * @param settlements the settlements
	 * @return what was claimed
	 */
	public CompletableFuture<ClaimReply> claim(int wanted, int behind, int maxBytes, boolean suspect, Duration sleep,
			List<Settlement> settlements) {
		String lane = this.name;
		if (lane == null) {
			throw new IllegalStateException("The lane of the queue '" + this.queue + "' is not open");
		}
		long seq = this.answered + 1;
		return this.scripts.claim()
			.run(this.queue,
					new ClaimRequest(new ClaimRequest.Terms(lane, this.lease, this.limits, behind), seq, wanted,
							maxBytes, suspect, sleep, settlements, this.retries.first()))
			.whenComplete((reply, failure) -> {
				if (failure != null) {
					this.unanswered |= !isCertain(failure);
				}
				else {
					this.unanswered = false;
					answered(seq, reply, settlements);
				}
			});
	}

	private static boolean isCertain(Throwable thrown) {
		Throwable failure = Causes.unwrap(thrown);
		return failure instanceof StoreException && !(failure instanceof OutcomeUnknownException);
	}

	private void answered(long seq, ClaimReply reply, List<Settlement> settlements) {
		if (seq != this.answered + 1) {
			this.invariants.violated(this.queue, Invariant.REQUEST_NUMBER, "the lane '" + this.name
					+ "' has an answer to its request " + seq + ", and the last one before was " + this.answered);
		}
		switch (reply.status()) {
			case OK -> {
				this.answered = seq;
				this.answeredAt = reply.time();
				this.answeredNanos = this.scripts.replayMemory().scheduler().nanoTime();
				this.retries.forgetUntil(this.answeredAt);
				if (settlements.isEmpty()) {
					this.settled.forgetOld();
				}
				else {
					rememberFailed(settlements);
					this.settled.add(seq, settlements, bytes(settlements));
				}
			}
			case DELETED -> {
				this.name = null;
				this.settled.beginWith(List.of());
			}
			default -> {
			}
		}
	}

	private void rememberFailed(List<Settlement> settlements) {
		for (Settlement settlement : settlements) {
			if (settlement.action() == Settlement.Action.RETRY) {
				this.retries.add(this.answeredAt.plusMillis(1 + Long.parseLong(ScriptTime.millis(settlement.delay()))));
			}
		}
	}

	private static long bytes(List<Settlement> settlements) {
		long bytes = 0;
		for (Settlement settlement : settlements) {
			bytes += settlement.bytes();
		}
		return bytes;
	}

	/**
	 * Returns whether the store's clock has advanced much more than the clock of this
	 * machine since the last answer, so that leases may have run out early.
	 * @param now the store's clock
	 * @return whether it has
	 */
	public boolean hasClockJumped(Instant now) {
		Duration here = Duration.ofNanos(this.scripts.replayMemory().scheduler().nanoTime() - this.answeredNanos);
		return Duration.between(this.answeredAt, now).minus(here).compareTo(this.lease.dividedBy(2)) > 0;
	}

	/**
	 * The settlements of requests that were answered and are not remembered by the store.
	 * @param reply the reply of the store
	 * @return the settlements, the oldest first, as far as they are remembered here
	 */
	public Forgotten forgotten(ClaimReply reply) {
		long remembered = (reply.status() == LaneStatus.BEHIND) ? reply.remembered() : 0;
		List<ReplayBuffer.Entry<Settlement>> entries = this.settled.after(remembered);
		return new Forgotten(this.answered - remembered,
				entries.stream().flatMap((entry) -> entry.items().stream()).toList());
	}

	/**
	 * Takes over on a new lane the messages that this one holds, or held before the store
	 * went back in time. If that fails, the next call continues, and ignores its
	 * arguments. If the store does not know the new lane either, the next call begins
	 * again.
	 * @param holdings the messages that the caller has or has settled
	 * @param wentBack whether the store went back in time; otherwise the lease ran out
	 * @return what was taken over
	 */
	public CompletableFuture<ResumeScript.Reply> resume(Collection<ResumeScript.Holding> holdings, boolean wentBack) {
		String former = this.name;
		if (former == null) {
			throw new IllegalStateException("The lane of the queue '" + this.queue + "' is not open");
		}
		Takeover begun = (this.takeover != null) ? this.takeover
				: new Takeover(former, this.scripts.newLane(), List.copyOf(holdings), wentBack);
		this.takeover = begun;
		return open(begun.opened, this.answered).thenCompose((open) -> begun.run()).thenApply((reply) -> {
			// If a step failed, the messages of the new lane are to be taken over from
			// it.
			this.name = begun.opened;
			this.takeover = null;
			if (reply.status() == LaneStatus.OK) {
				this.settled.beginWith(List.of());
				this.unanswered = false;
				this.answered = begun.number();
			}
			return reply;
		});
	}

	/**
	 * Renews the lane, and with it the lease of all it holds.
	 * @return whether it is alive and the store remembers its last request, and whether
	 * messages it holds may have been cancelled
	 */
	public CompletableFuture<RenewLaneScript.Reply> renew() {
		String lane = this.name;
		return (lane != null) ? new RenewLaneScript(this.scripts.runner()).run(this.queue, lane, this.lease,
				this.answered, this.limits) : CompletableFuture.completedFuture(RenewLaneScript.Reply.LOST);
	}

	/**
	 * Writes the progress, the logs and the checkpoints of messages of the lane, and
	 * renews it.
	 * @param entries the entries, at most {@value WorkRequest#MAX_ENTRIES}
	 * @return what was kept
	 */
	public CompletableFuture<WorkReply> keepWork(List<WorkRequest.Entry> entries) {
		String lane = this.name;
		return (lane != null)
				? new WorkScript(this.scripts).run(this.queue,
						new WorkRequest(lane, this.lease, this.answered, this.limits, entries))
				: CompletableFuture.completedFuture(new WorkReply(LaneStatus.GONE, Instant.EPOCH, Set.of(), Set.of()));
	}

	/**
	 * Closes the lane, which must hold nothing.
	 * @return a future that completes when it is closed
	 */
	public CompletableFuture<Void> close() {
		String lane = this.name;
		this.name = null;
		return (lane != null) ? new LaneScript(this.scripts).close(this.queue, lane)
				: CompletableFuture.completedFuture(null);
	}

	/**
	 * Forgets the settlements, and frees their share of the memory: none is sent again.
	 */
	public void forget() {
		this.settled.forgetAll();
	}

	/**
	 * Takes over the messages of an earlier lane on a new one, in steps that can be
	 * repeated. After a failure, {@link #run()} goes on with the step that failed.
	 */
	private final class Takeover {

		private final String former;

		private final String opened;

		private final List<ResumeScript.Holding> holdings;

		private final boolean wentBack;

		private final Set<String> refused = new HashSet<>();

		private long givenBack;

		private int done;

		private int steps;

		/**
		 * Begins a takeover.
		 * @param former the lane to take over from
		 * @param opened the new lane
		 * @param wentBack whether the store went back in time; otherwise the lease ran
		 * out
		 */
		Takeover(String former, String opened, List<ResumeScript.Holding> holdings, boolean wentBack) {
			this.former = former;
			this.opened = opened;
			this.holdings = holdings;
			this.wentBack = wentBack;
		}

		/**
		 * Returns the number of the last request that was answered.
		 */
		long number() {
			return ClaimLane.this.answered + this.steps;
		}

		/**
		 * Takes the steps that are left.
		 * @return the result of all steps together, or the first reply that is not OK
		 */
		CompletableFuture<ResumeScript.Reply> run() {
			int next = Math.min(this.holdings.size(), this.done + ResumeScript.Request.MAX_HOLDINGS);
			boolean last = next == this.holdings.size();
			ResumeScript.Request request = new ResumeScript.Request(this.opened, number() + 1, ClaimLane.this.lease,
					this.former, this.wentBack, last, List.copyOf(this.holdings.subList(this.done, next)));
			return new ResumeScript(ClaimLane.this.scripts.runner()).run(ClaimLane.this.queue, request)
				.thenCompose((reply) -> {
					if (reply.status() != LaneStatus.OK) {
						return CompletableFuture.completedFuture(reply);
					}
					this.refused.addAll(reply.refused());
					this.givenBack += reply.givenBack();
					this.done = next;
					this.steps++;
					return last ? CompletableFuture
						.completedFuture(new ResumeScript.Reply(LaneStatus.OK, this.givenBack, this.refused)) : run();
				});
		}

	}

	/**
	 * The requests that the store has forgotten.
	 *
	 * @param requests how many requests
	 * @param settlements their settlements that are remembered here
	 */
	public record Forgotten(long requests, List<Settlement> settlements) {
	}

	/**
	 * The due times of messages that failed on the lanes of one consumer, so that each of
	 * these lanes leaves them to other instances first.
	 * <p>
	 * Safe for use by many threads.
	 */
	public static final class RetryTimes {

		/**
		 * How many due times are kept.
		 */
		private static final int MAX_SIZE = 100;

		private final NavigableSet<Instant> due = new ConcurrentSkipListSet<>();

		void add(Instant time) {
			this.due.add(time);
			while (this.due.size() > MAX_SIZE) {
				this.due.pollLast();
			}
		}

		void forgetUntil(Instant now) {
			if (!this.due.isEmpty()) {
				this.due.headSet(now, true).clear();
			}
		}

		@Nullable Instant first() {
			if (this.due.isEmpty()) {
				return null;
			}
			Iterator<Instant> times = this.due.iterator();
			return times.hasNext() ? times.next() : null;
		}

	}

}
