package io.redelay.queue.notes;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import java.util.function.LongConsumer;

import io.redelay.log.PlainLog;
import io.redelay.queue.QueueException;
import io.redelay.queue.request.LaneStatus;
import io.redelay.queue.script.WorkReply;
import io.redelay.queue.script.WorkRequest;
import io.redelay.scheduling.AsyncCall;
import io.redelay.scheduling.Scheduler;
import org.apache.commons.logging.Log;
import org.jspecify.annotations.Nullable;

/**
 * Writes the notes of a loop's handlers: checkpoints, progress and log lines. They gather
 * for an interval and go out in one request, which renews the lane as well. One request
 * is under way at a time; changes made meanwhile are written by the next one, and changes
 * that Redis did not take are written again.
 * <p>
 * Safe for use by many threads. No method blocks.
 */
public final class NotesWriter {

	private static final Log logger = PlainLog.of(NotesWriter.class);

	/**
	 * The largest size of a request, not counting its last message.
	 */
	private static final int MAX_BYTES = 1024 * 1024;

	/**
	 * How often in a row Redis may not know the lane before all waiting handlers fail.
	 */
	private static final int MOST_UNKNOWN = 10;

	/**
	 * The shortest time between two log lines about notes that came too late.
	 */
	private static final Duration REMINDER = Duration.ofMinutes(1);

	private final String listener;

	private final WorkSettings settings;

	private final Function<List<WorkRequest.Entry>, CompletableFuture<WorkReply>> lane;

	private final LongConsumer renewed;

	private final Scheduler scheduler;

	private final Runnable laneUnknown;

	private final long intervalNanos;

	/**
	 * The deliveries with changes to write, and the calls that wait for the writes.
	 */
	private final Map<HandlerNotes, List<Call>> dirty = new LinkedHashMap<>();

	/**
	 * The entries of the request that is under way; empty if none is.
	 */
	private List<Item> underWay = List.of();

	private boolean scheduled;

	private boolean closed;

	private int unknown;

	private long warnedAt;

	private volatile boolean full;

	/**
	 * Creates a writer.
	 * @param listener the id of the listener
	 * @param settings how much is kept, and how often it is written
	 * @param lease the lease of the lane
	 * @param lane writes on the present lane
	 * @param renewed called with the time at which a request that renewed the lane was
	 * sent
	 * @param scheduler the clock
	 * @param laneUnknown runs when Redis does not know the lane, or not its last requests
	 */
	public NotesWriter(String listener, WorkSettings settings, Duration lease,
			Function<List<WorkRequest.Entry>, CompletableFuture<WorkReply>> lane, LongConsumer renewed,
			Scheduler scheduler, Runnable laneUnknown) {
		this.listener = listener;
		this.settings = settings;
		this.lane = lane;
		this.renewed = renewed;
		this.scheduler = scheduler;
		this.laneUnknown = laneUnknown;
		this.warnedAt = scheduler.nanoTime() - REMINDER.toNanos();
		this.intervalNanos = Math.min(settings.writeInterval().toNanos(), lease.toNanos() / 3);
	}

	/**
	 * Returns the settings of how much is kept.
	 */
	public WorkSettings settings() {
		return this.settings;
	}

	/**
	 * Schedules changed notes to be written.
	 */
	void changed(HandlerNotes notes) {
		synchronized (this) {
			if (this.closed) {
				return;
			}
			this.dirty.computeIfAbsent(notes, (added) -> new ArrayList<>(1));
		}
		schedule();
	}

	/**
	 * Writes the changes of notes at once.
	 * @return a future of the outcome; fails if Redis did not answer, so that the outcome
	 * is unknown, and the write is tried again later
	 */
	CompletableFuture<Outcome> flush(HandlerNotes notes) {
		return flush(notes, false);
	}

	/**
	 * Writes the changes of notes before their message is settled, and repeats this until
	 * the outcome is known.
	 * @return a future that completes, and does not fail, when the message can be settled
	 */
	CompletableFuture<?> flushToSettle(HandlerNotes notes) {
		return flush(notes, true).handle((outcome, failure) -> {
			if (outcome == Outcome.FULL) {
				logger.warn("What the handler reported last for the " + notes
						+ " is not kept beside the message, which is settled: Redis is full");
			}
			return null;
		});
	}

	private CompletableFuture<Outcome> flush(HandlerNotes notes, boolean untilKnown) {
		CompletableFuture<Outcome> outcome = new CompletableFuture<>();
		synchronized (this) {
			if (this.closed) {
				return CompletableFuture.completedFuture(Outcome.LOST);
			}
			this.dirty.computeIfAbsent(notes, (added) -> new ArrayList<>(1)).add(new Call(outcome, untilKnown));
		}
		send();
		return outcome;
	}

	/**
	 * Writes all pending changes.
	 * @return a future that completes when this has been tried and the request under way
	 * has ended
	 */
	public CompletableFuture<Void> flush() {
		Set<HandlerNotes> all;
		synchronized (this) {
			all = new LinkedHashSet<>(this.dirty.keySet());
			this.underWay.forEach((item) -> all.add(item.notes()));
		}
		return CompletableFuture.allOf(all.stream()
			.map((notes) -> flush(notes).handle((outcome, failure) -> null))
			.toArray(CompletableFuture[]::new));
	}

	/**
	 * Continues after another lane has taken over the messages.
	 */
	public void resumed() {
		boolean isUrgent;
		synchronized (this) {
			this.unknown = 0;
			isUrgent = isWaitedFor();
		}
		if (isUrgent) {
			send();
		}
	}

	/**
	 * Logs that a handler changed the notes of a message that is settled or lost.
	 */
	void tooLate(HandlerNotes notes) {
		synchronized (this) {
			long now = this.scheduler.nanoTime();
			if (now - this.warnedAt < REMINDER.toNanos()) {
				return;
			}
			this.warnedAt = now;
		}
		logger.warn("What a handler of the listener '" + this.listener + "' reported for the " + notes
				+ " is not kept: the message was settled or acknowledged before, or its lease had run out");
	}

	/**
	 * Stops writing for good.
	 */
	public void close() {
		List<Runnable> completions = new ArrayList<>();
		synchronized (this) {
			this.closed = true;
			this.dirty.values().forEach((calls) -> end(calls, Outcome.LOST, completions));
			this.dirty.clear();
		}
		completions.forEach(Runnable::run);
	}

	/**
	 * Has the next request go out after the interval, unless one is under way or about to
	 * go out. If the timer has no thread, the next change or flush tries again.
	 */
	private void schedule() {
		synchronized (this) {
			if (this.scheduled || !this.underWay.isEmpty() || this.dirty.isEmpty()) {
				return;
			}
			this.scheduled = true;
		}
		if (this.scheduler.schedule(this::tick, this.intervalNanos) == null) {
			synchronized (this) {
				this.scheduled = false;
			}
		}
	}

	private void tick() {
		synchronized (this) {
			this.scheduled = false;
		}
		send();
	}

	private void send() {
		List<Item> items = new ArrayList<>();
		List<Runnable> completions = new ArrayList<>();
		synchronized (this) {
			if (!this.underWay.isEmpty()) {
				return;
			}
			take(items, completions);
			this.underWay = items;
		}
		if (!items.isEmpty()) {
			long sentNanos = this.scheduler.nanoTime();
			AsyncCall.of(() -> this.lane.apply(items.stream().map(Item::entry).toList()))
				.whenComplete((reply, failure) -> answered(items, sentNanos, reply, failure));
		}
		completions.forEach(Runnable::run);
	}

	/**
	 * Takes the entries for one request.
	 * @param items collects the entries to write
	 * @param completions collects the completions of calls for which there is nothing
	 * left to write
	 */
	private void take(List<Item> items, List<Runnable> completions) {
		int bytes = 0;
		Iterator<Map.Entry<HandlerNotes, List<Call>>> entries = this.dirty.entrySet().iterator();
		while (entries.hasNext() && items.size() < WorkRequest.MAX_ENTRIES && bytes < MAX_BYTES) {
			Map.Entry<HandlerNotes, List<Call>> each = entries.next();
			entries.remove();
			HandlerNotes notes = each.getKey();
			boolean isOver = notes.message().isSettled() && each.getValue().isEmpty();
			HandlerNotes.Write write = isOver ? null : notes.pending();
			if (write != null) {
				items.add(new Item(notes, each.getValue(), write));
				bytes += write.sections().length;
			}
			else {
				end(each.getValue(), notes.isLost() ? Outcome.LOST : Outcome.WRITTEN, completions);
			}
		}
	}

	/**
	 * Processes a reply. The calls that wait for it complete at the end: the code that
	 * they run then, that of the application included, must not delay the next request.
	 */
	private void answered(List<Item> items, long sentNanos, @Nullable WorkReply reply, @Nullable Throwable failure) {
		boolean isKnown = reply != null && reply.status() == LaneStatus.OK;
		boolean givesUp;
		synchronized (this) {
			this.unknown = (reply == null || isKnown) ? 0 : this.unknown + 1;
			givesUp = this.unknown >= MOST_UNKNOWN;
		}
		List<Runnable> completions = new ArrayList<>();
		try {
			answered(items, reply, failure, givesUp, completions);
			if (isKnown) {
				this.renewed.accept(sentNanos);
			}
		}
		finally {
			goOn(isKnown);
			completions.forEach(Runnable::run);
		}
	}

	private void answered(List<Item> items, @Nullable WorkReply reply, @Nullable Throwable failure, boolean givesUp,
			List<Runnable> completions) {
		if (reply == null) {
			logger.debug(
					"What handlers of the listener '" + this.listener + "' keep was not written, which is tried again",
					failure);
			items.forEach((item) -> {
				fail(item.calls(),
						new QueueException("It is not known whether Redis keeps what the handler reported for the "
								+ item.notes() + ", for it did not answer; it is written again later", failure),
						completions);
				again(item, completions);
			});
		}
		else if (reply.status() == LaneStatus.OK) {
			items.forEach((item) -> answered(item, reply, completions));
		}
		else {
			items.forEach((item) -> {
				if (givesUp) {
					end(item.calls(), Outcome.LOST, completions);
				}
				again(item, completions);
			});
			this.laneUnknown.run();
		}
	}

	private void answered(Item item, WorkReply reply, List<Runnable> completions) {
		HandlerNotes notes = item.notes();
		if (reply.lost().contains(notes.message().uid())) {
			boolean surprises = notes.lose();
			end(item.calls(), Outcome.LOST, completions);
			if (surprises) {
				tooLate(notes);
			}
		}
		else if (reply.refused().contains(notes.message().uid())) {
			full(notes);
			end(item.calls(), Outcome.FULL, completions);
			again(item, completions);
		}
		else {
			this.full = false;
			notes.written(item.write());
			end(item.calls(), Outcome.WRITTEN, completions);
		}
	}

	private void full(HandlerNotes notes) {
		if (!this.full) {
			this.full = true;
			logger.warn("What handlers of the listener '" + this.listener + "' keep beside messages of the queue '"
					+ notes.message().queue() + "' cannot be written, which is tried again: Redis is full");
		}
	}

	/**
	 * Adds an item to the next request again, with the calls that are not completed yet.
	 */
	private synchronized void again(Item item, List<Runnable> completions) {
		if (this.closed) {
			end(item.calls(), Outcome.LOST, completions);
			return;
		}
		this.dirty.merge(item.notes(), item.calls(), (later, former) -> {
			former.addAll(later);
			return former;
		});
	}

	/**
	 * Takes the calls that wait, to complete all of them.
	 */
	private static void end(List<Call> calls, Outcome outcome, List<Runnable> completions) {
		calls.forEach((call) -> completions.add(() -> call.outcome().complete(outcome)));
		calls.clear();
	}

	/**
	 * Takes the calls that wait for the outcome of one request only, to fail them.
	 */
	private static void fail(List<Call> calls, QueueException failure, List<Runnable> completions) {
		calls.removeIf((call) -> {
			if (!call.untilKnown()) {
				completions.add(() -> call.outcome().completeExceptionally(failure));
			}
			return !call.untilKnown();
		});
	}

	/**
	 * Ends a request. Sends the next one at once if a call waits for it, and otherwise
	 * later.
	 * @param atOnce whether Redis accepts the next request now
	 */
	private void goOn(boolean atOnce) {
		boolean isUrgent;
		synchronized (this) {
			this.underWay = List.of();
			isUrgent = atOnce && isWaitedFor();
		}
		if (isUrgent) {
			send();
		}
		schedule();
	}

	private boolean isWaitedFor() {
		return this.dirty.values().stream().anyMatch((calls) -> !calls.isEmpty());
	}

	/**
	 * The outcome of a write.
	 */
	enum Outcome {

		/**
		 * Redis has the changes.
		 */
		WRITTEN,

		/**
		 * Redis is full. The write is tried again later.
		 */
		FULL,

		/**
		 * This instance does not hold the message any more. Nothing is written.
		 */
		LOST

	}

	/**
	 * The part of one request that is about one delivery.
	 */
	private record Item(HandlerNotes notes, List<Call> calls, HandlerNotes.Write write) {

		WorkRequest.Entry entry() {
			return new WorkRequest.Entry(this.notes.message().uid(), this.notes.message().claimNumber(),
					this.write.number(), this.write.sections());
		}

	}

	/**
	 * A call that waits for a write.
	 *
	 * @param outcome completed with its outcome
	 * @param untilKnown whether it waits until Redis has answered
	 */
	private record Call(CompletableFuture<Outcome> outcome, boolean untilKnown) {

	}

}
