package io.redelay.queue.recurring.engine;

import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import io.redelay.log.PlainText;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.DeserializationFeature;
import tools.jackson.databind.json.JsonMapper;

/**
 * All that is kept in Redis of a recurring message, as JSON.
 *
 * @param revision grows with each change
 * @param declaration what was declared
 * @param declarers what declared it
 * @param paused whether there are no ticks
 * @param progress how far it has come
 * @param runs the runs that may not have ended
 * @param end why it is over, or {@code null} if it goes on
 * @param withdrawn messages of ticks that were due already when others took their place;
 * they are not handled
 */
record StoredRecurring(long revision, StoredDeclaration declaration, Declarers declarers, boolean paused,
		Progress progress, List<StoredRun> runs, @Nullable End end, List<String> withdrawn) {

	/**
	 * How many instances are remembered. With more, the oldest are forgotten.
	 */
	private static final int MOST_DECLARERS = 100;

	/**
	 * How many runs are remembered that have not ended. With more, the oldest go on
	 * unseen.
	 */
	static final int MOST_RUNS = 100;

	/**
	 * How many withdrawn messages are remembered. With more, the oldest are handled.
	 */
	private static final int MOST_WITHDRAWN = 50;

	/**
	 * How much is shown of what cannot be read.
	 */
	private static final int SHOWN = 100;

	/**
	 * Refuses what is none.
	 */
	StoredRecurring {
		Objects.requireNonNull(declaration, "declaration");
		Objects.requireNonNull(declarers, "declarers");
		Objects.requireNonNull(progress, "progress");
		Objects.requireNonNull(runs, "runs");
		Objects.requireNonNull(withdrawn, "withdrawn");
	}

	static StoredRecurring first(StoredDeclaration declaration, boolean byApi, String instance) {
		return new StoredRecurring(0, declaration, Declarers.first(byApi, instance, List.of()), false,
				new Progress(null, null, null, null, 0, null), List.of(), null, List.of());
	}

	@Nullable Long next() {
		return this.progress.next;
	}

	@Nullable String nextUid() {
		return this.progress.nextUid;
	}

	@Nullable Long lastTick() {
		return this.progress.lastTick;
	}

	long begun() {
		return this.progress.begun;
	}

	@Nullable BusyTime busy() {
		return this.progress.busy;
	}

	boolean isOver() {
		return this.end != null;
	}

	/**
	 * Whether it is over because it was removed.
	 */
	boolean wasRemoved() {
		return this.end != null && this.end.removed;
	}

	/**
	 * Whether there is to be a message for the next tick.
	 */
	boolean ticks() {
		return !this.paused && !isOver() && next() != null;
	}

	/**
	 * Whether there is no tick any more, though nothing has ended it from outside.
	 */
	boolean hasEnded() {
		return !isOver() && next() == null;
	}

	/**
	 * Whether as many runs have begun as there are in all.
	 */
	boolean isExhausted() {
		Integer most = this.declaration.limits().maxRuns();
		return most != null && begun() >= most;
	}

	TickSchedule schedule() {
		return this.declaration.schedule(this.progress.anchor);
	}

	/**
	 * Goes on with its next tick after a time, if there is one.
	 */
	StoredRecurring goingOn(Instant after) {
		Long anchor = this.progress.anchor;
		Instant tick = isExhausted() ? null
				: schedule().next(after, (anchor != null) ? Instant.ofEpochMilli(anchor) : after);
		return next((tick != null) ? tick.toEpochMilli() : null);
	}

	/**
	 * Has its interval count from a time.
	 */
	StoredRecurring anchored(Instant time) {
		return with(new Progress(next(), time.toEpochMilli(), nextUid(), lastTick(), begun(), busy()));
	}

	/**
	 * Has another number of runs that have begun.
	 */
	StoredRecurring begun(long number) {
		return with(new Progress(next(), this.progress.anchor, nextUid(), lastTick(), number, busy()));
	}

	StoredRecurring next(@Nullable Long tick) {
		return with(new Progress(tick, this.progress.anchor, nextUid(), lastTick(), begun(), busy()));
	}

	StoredRecurring nextUid(@Nullable String uid) {
		return with(new Progress(next(), this.progress.anchor, uid, lastTick(), begun(), busy()));
	}

	StoredRecurring busy(BusyTime time) {
		return with(new Progress(next(), this.progress.anchor, nextUid(), lastTick(), begun(), time));
	}

	/**
	 * Takes note that the run of a tick begins. If it is the last one, there is no next
	 * tick.
	 */
	StoredRecurring ran(long tick) {
		StoredRecurring ran = with(new Progress(next(), this.progress.anchor, nextUid(), tick, begun() + 1, busy()));
		return ran.isExhausted() ? ran.next(null) : ran;
	}

	private StoredRecurring with(Progress other) {
		return new StoredRecurring(this.revision, this.declaration, this.declarers, this.paused, other, this.runs,
				this.end, this.withdrawn);
	}

	StoredRecurring declaredAgain(String instance) {
		return new StoredRecurring(this.revision, this.declaration, this.declarers.plus(instance), this.paused,
				this.progress, this.runs, null, this.withdrawn);
	}

	StoredRecurring replacedBy(StoredDeclaration other, boolean byApi, String instance) {
		return new StoredRecurring(this.revision, other, Declarers.first(byApi, instance, this.declarers.all()),
				this.paused, this.progress, this.runs, null, this.withdrawn);
	}

	StoredRecurring paused(boolean wanted) {
		return new StoredRecurring(this.revision, this.declaration, this.declarers, wanted, this.progress, this.runs,
				this.end, this.withdrawn);
	}

	StoredRecurring runs(List<StoredRun> present) {
		List<StoredRun> kept = present.subList(Math.max(0, present.size() - MOST_RUNS), present.size());
		return new StoredRecurring(this.revision, this.declaration, this.declarers, this.paused, this.progress,
				List.copyOf(kept), this.end, this.withdrawn);
	}

	StoredRecurring over(long since, boolean byRemoval) {
		return new StoredRecurring(this.revision, this.declaration, this.declarers, this.paused, this.progress,
				this.runs, new End(since, byRemoval), this.withdrawn);
	}

	StoredRecurring withdrawn(List<String> present) {
		List<String> kept = present.subList(Math.max(0, present.size() - MOST_WITHDRAWN), present.size());
		return new StoredRecurring(this.revision, this.declaration, this.declarers, this.paused, this.progress,
				this.runs, this.end, List.copyOf(kept));
	}

	StoredRecurring changed() {
		return new StoredRecurring(this.revision + 1, this.declaration, this.declarers, this.paused, this.progress,
				this.runs, this.end, this.withdrawn);
	}

	/**
	 * Writes the state: the uids of its messages in a line, for the scripts, and JSON.
	 */
	String write(JsonMapper mapper) {
		Stream<String> first = (nextUid() != null) ? Stream.of(nextUid()) : Stream.empty();
		Stream<String> more = Stream.concat(this.runs.stream().map(StoredRun::uid), this.withdrawn.stream());
		return Stream.concat(first, more).collect(Collectors.joining(" ")) + "\n" + mapper.writeValueAsString(this);
	}

	/**
	 * Reads a state.
	 * @return what is kept, or {@code null} if nothing is
	 * @throws IllegalStateException if it is not what {@link #write} wrote
	 */
	static @Nullable StoredRecurring read(JsonMapper mapper, @Nullable String kept) {
		if (kept == null) {
			return null;
		}
		try {
			return mapper.readerFor(StoredRecurring.class)
				.without(DeserializationFeature.FAIL_ON_NULL_FOR_PRIMITIVES)
				.readValue(kept.substring(kept.indexOf('\n') + 1));
		}
		catch (JacksonException ex) {
			String shown = (kept.length() > SHOWN) ? kept.substring(0, SHOWN) + "…" : kept;
			throw new IllegalStateException("What Redis has of a recurring message cannot be read: '"
					+ PlainText.of(shown) + "'. A newer version wrote it, or a build from before the first release",
					ex);
		}
	}

	/**
	 * What declared a recurring message.
	 *
	 * @param byApi whether it stays although no instance declares it
	 * @param last the instance that declared it last
	 * @param present the instances that declared it as it is
	 * @param others the instances that declared it otherwise before
	 */
	record Declarers(boolean byApi, String last, List<String> present, List<String> others) {

		private static Declarers first(boolean byApi, String instance, List<String> others) {
			return new Declarers(byApi, instance, byApi ? List.of() : List.of(instance), others);
		}

		private Declarers plus(String instance) {
			return new Declarers(false, instance, with(this.present, instance), this.others);
		}

		private List<String> all() {
			List<String> all = this.others;
			for (String declarer : this.present) {
				all = with(all, declarer);
			}
			return all;
		}

		private static List<String> with(List<String> instances, String instance) {
			List<String> all = new ArrayList<>(instances);
			all.remove(instance);
			all.add(instance);
			return List.copyOf(all.subList(Math.max(0, all.size() - MOST_DECLARERS), all.size()));
		}

	}

	/**
	 * How far a recurring message has come.
	 *
	 * @param next the next tick, ms; while it is paused or over, the one at which that
	 * began. {@code null} if there is none any more: it has ended
	 * @param anchor from when its interval counts, ms, or {@code null}
	 * @param nextUid the message of the next tick, or {@code null} if there is none
	 * @param lastTick the tick that ran last, ms, or {@code null}
	 * @param begun how many runs have begun, without those started by request
	 * @param busy the last run that outlasted its interval, or {@code null}
	 */
	record Progress(@Nullable Long next, @Nullable Long anchor, @Nullable String nextUid, @Nullable Long lastTick,
			long begun, @Nullable BusyTime busy) {

	}

	/**
	 * Why a recurring message is over.
	 *
	 * @param since since when, ms
	 * @param removed whether it was removed; else no instance declares it
	 */
	record End(long since, boolean removed) {

	}

}
