package io.redelay.queue.recurring.engine;

import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.json.JsonMapper;

/**
 * All that is kept in Redis of a recurring message, as JSON.
 *
 * @param revision grows with each change
 * @param declaration what was declared
 * @param declaredByApi whether it stays although no instance declares it
 * @param declaredBy the instance that declared it last
 * @param declarers the instances that declared it as it is
 * @param others the instances that declared it otherwise before
 * @param paused whether there are no ticks
 * @param next the next tick, ms; while it is paused or over, the one at which that began.
 * {@code null} if there is none any more: it has ended
 * @param anchor from when its interval counts, ms, or {@code null}
 * @param nextUid the message of the next tick, or {@code null} if there is none
 * @param runs the runs that may not have ended
 * @param busy the last run that outlasted its interval, or {@code null}
 * @param lastTick the tick that ran last, ms, or {@code null}
 * @param begun how many runs have begun, without those started by request
 * @param overSince since when it is over, because it was removed or no instance declares
 * it, ms; {@code null} if it goes on
 * @param removed whether it is over because it was removed
 * @param withdrawn messages of ticks that were due already when others took their place;
 * they are not handled
 */
record StoredRecurring(long revision, StoredDeclaration declaration, boolean declaredByApi, String declaredBy,
		List<String> declarers, List<String> others, boolean paused, @Nullable Long next, @Nullable Long anchor,
		@Nullable String nextUid, List<StoredRun> runs, @Nullable BusyTime busy, @Nullable Long lastTick, long begun,
		@Nullable Long overSince, boolean removed, List<String> withdrawn) {

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

	static StoredRecurring first(StoredDeclaration declaration, boolean byApi, String instance) {
		return new StoredRecurring(0, declaration, byApi, instance, byApi ? List.of() : List.of(instance), List.of(),
				false, null, null, null, List.of(), null, null, 0, null, false, List.of());
	}

	boolean isOver() {
		return this.overSince != null;
	}

	/**
	 * Whether there is to be a message for the next tick.
	 */
	boolean ticks() {
		return !this.paused && !isOver() && this.next != null;
	}

	/**
	 * Whether there is no tick any more, though nothing has ended it from outside.
	 */
	boolean hasEnded() {
		return !isOver() && this.next == null;
	}

	/**
	 * Whether as many runs have begun as there are in all.
	 */
	boolean isExhausted() {
		Integer most = this.declaration.limits().maxRuns();
		return most != null && this.begun >= most;
	}

	TickSchedule schedule() {
		return this.declaration.schedule(this.anchor);
	}

	/**
	 * Goes on with its next tick after a time, if there is one.
	 */
	StoredRecurring goingOn(Instant after) {
		Instant tick = isExhausted() ? null
				: schedule().next(after, (this.anchor != null) ? Instant.ofEpochMilli(this.anchor) : after);
		return next((tick != null) ? tick.toEpochMilli() : null);
	}

	/**
	 * Has its interval count from a time.
	 */
	StoredRecurring anchored(Instant time) {
		return new StoredRecurring(this.revision, this.declaration, this.declaredByApi, this.declaredBy, this.declarers,
				this.others, this.paused, this.next, time.toEpochMilli(), this.nextUid, this.runs, this.busy,
				this.lastTick, this.begun, this.overSince, this.removed, this.withdrawn);
	}

	/**
	 * Has another number of runs that have begun.
	 */
	StoredRecurring begun(long number) {
		return new StoredRecurring(this.revision, this.declaration, this.declaredByApi, this.declaredBy, this.declarers,
				this.others, this.paused, this.next, this.anchor, this.nextUid, this.runs, this.busy, this.lastTick,
				number, this.overSince, this.removed, this.withdrawn);
	}

	StoredRecurring declaredAgain(String instance) {
		return new StoredRecurring(this.revision, this.declaration, false, instance, with(this.declarers, instance),
				this.others, this.paused, this.next, this.anchor, this.nextUid, this.runs, this.busy, this.lastTick,
				this.begun, null, false, this.withdrawn);
	}

	StoredRecurring replacedBy(StoredDeclaration other, boolean byApi, String instance) {
		List<String> former = this.others;
		for (String declarer : this.declarers) {
			former = with(former, declarer);
		}
		return new StoredRecurring(this.revision, other, byApi, instance, byApi ? List.of() : List.of(instance), former,
				this.paused, this.next, this.anchor, this.nextUid, this.runs, this.busy, this.lastTick, this.begun,
				null, false, this.withdrawn);
	}

	StoredRecurring next(@Nullable Long tick) {
		return new StoredRecurring(this.revision, this.declaration, this.declaredByApi, this.declaredBy, this.declarers,
				this.others, this.paused, tick, this.anchor, this.nextUid, this.runs, this.busy, this.lastTick,
				this.begun, this.overSince, this.removed, this.withdrawn);
	}

	StoredRecurring nextUid(@Nullable String uid) {
		return new StoredRecurring(this.revision, this.declaration, this.declaredByApi, this.declaredBy, this.declarers,
				this.others, this.paused, this.next, this.anchor, uid, this.runs, this.busy, this.lastTick, this.begun,
				this.overSince, this.removed, this.withdrawn);
	}

	StoredRecurring paused(boolean wanted) {
		return new StoredRecurring(this.revision, this.declaration, this.declaredByApi, this.declaredBy, this.declarers,
				this.others, wanted, this.next, this.anchor, this.nextUid, this.runs, this.busy, this.lastTick,
				this.begun, this.overSince, this.removed, this.withdrawn);
	}

	StoredRecurring runs(List<StoredRun> present) {
		List<StoredRun> kept = present.subList(Math.max(0, present.size() - MOST_RUNS), present.size());
		return new StoredRecurring(this.revision, this.declaration, this.declaredByApi, this.declaredBy, this.declarers,
				this.others, this.paused, this.next, this.anchor, this.nextUid, List.copyOf(kept), this.busy,
				this.lastTick, this.begun, this.overSince, this.removed, this.withdrawn);
	}

	StoredRecurring busy(BusyTime time) {
		return new StoredRecurring(this.revision, this.declaration, this.declaredByApi, this.declaredBy, this.declarers,
				this.others, this.paused, this.next, this.anchor, this.nextUid, this.runs, time, this.lastTick,
				this.begun, this.overSince, this.removed, this.withdrawn);
	}

	/**
	 * Takes note that the run of a tick begins. If it is the last one, there is no next
	 * tick.
	 */
	StoredRecurring ran(long tick) {
		StoredRecurring ran = begun(this.begun + 1).lastTick(tick);
		return ran.isExhausted() ? ran.next(null) : ran;
	}

	private StoredRecurring lastTick(long tick) {
		return new StoredRecurring(this.revision, this.declaration, this.declaredByApi, this.declaredBy, this.declarers,
				this.others, this.paused, this.next, this.anchor, this.nextUid, this.runs, this.busy, tick, this.begun,
				this.overSince, this.removed, this.withdrawn);
	}

	StoredRecurring over(long since, boolean byRemoval) {
		return new StoredRecurring(this.revision, this.declaration, this.declaredByApi, this.declaredBy, this.declarers,
				this.others, this.paused, this.next, this.anchor, this.nextUid, this.runs, this.busy, this.lastTick,
				this.begun, since, byRemoval, this.withdrawn);
	}

	StoredRecurring withdrawn(List<String> present) {
		List<String> kept = present.subList(Math.max(0, present.size() - MOST_WITHDRAWN), present.size());
		return new StoredRecurring(this.revision, this.declaration, this.declaredByApi, this.declaredBy, this.declarers,
				this.others, this.paused, this.next, this.anchor, this.nextUid, this.runs, this.busy, this.lastTick,
				this.begun, this.overSince, this.removed, List.copyOf(kept));
	}

	StoredRecurring changed() {
		return new StoredRecurring(this.revision + 1, this.declaration, this.declaredByApi, this.declaredBy,
				this.declarers, this.others, this.paused, this.next, this.anchor, this.nextUid, this.runs, this.busy,
				this.lastTick, this.begun, this.overSince, this.removed, this.withdrawn);
	}

	/**
	 * Writes the state: the uids of its messages in a line, for the scripts, and JSON.
	 */
	String write(JsonMapper mapper) {
		Stream<String> first = (this.nextUid != null) ? Stream.of(this.nextUid) : Stream.empty();
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
			return mapper.readValue(kept.substring(kept.indexOf('\n') + 1), StoredRecurring.class);
		}
		catch (JacksonException ex) {
			throw new IllegalStateException("What Redis has of a recurring message cannot be read: " + kept, ex);
		}
	}

	private static List<String> with(List<String> instances, String instance) {
		List<String> all = new ArrayList<>(instances);
		all.remove(instance);
		all.add(instance);
		return List.copyOf(all.subList(Math.max(0, all.size() - MOST_DECLARERS), all.size()));
	}

}
