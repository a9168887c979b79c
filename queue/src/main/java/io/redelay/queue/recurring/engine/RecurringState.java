package io.redelay.queue.recurring.engine;

import java.util.ArrayList;
import java.util.List;

import org.jspecify.annotations.Nullable;

/**
 * All that is kept in Redis of a recurring message, as JSON.
 *
 * @param revision grows with each change
 * @param declaration what was declared
 * @param declaredByApi whether it stays although nobody declares it
 * @param declaredBy the instance that declared it last
 * @param declarers the instances that declared it as it is
 * @param others the instances that declared it otherwise before
 * @param paused whether there are no ticks
 * @param next the next tick, ms; while it is paused or over, the one at which that began.
 * {@code null} if the cron expression has none any more
 * @param nextUid the message of the next tick, or {@code null} if there is none
 * @param runs the runs that may not have ended
 * @param busy the last run that outlasted its interval, or {@code null}
 * @param lastTick the tick that ran last, ms, or {@code null}
 * @param overSince since when it is over, because it was removed or nobody declares it,
 * ms; {@code null} if it goes on
 * @param removed whether it is over because it was removed
 * @param withdrawn messages of ticks that were due already when others took their place;
 * they are not handled
 */
record RecurringState(long revision, StoredDeclaration declaration, boolean declaredByApi, String declaredBy,
		List<String> declarers, List<String> others, boolean paused, @Nullable Long next, @Nullable String nextUid,
		List<StoredRun> runs, @Nullable BusyTime busy, @Nullable Long lastTick, @Nullable Long overSince,
		boolean removed, List<String> withdrawn) {

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

	static RecurringState first(StoredDeclaration declaration, boolean byApi, String instance) {
		return new RecurringState(0, declaration, byApi, instance, byApi ? List.of() : List.of(instance), List.of(),
				false, null, null, List.of(), null, null, null, false, List.of());
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

	RecurringState declaredAgain(String instance) {
		return new RecurringState(this.revision, this.declaration, false, instance, with(this.declarers, instance),
				this.others, this.paused, this.next, this.nextUid, this.runs, this.busy, this.lastTick, null, false,
				this.withdrawn);
	}

	RecurringState replacedBy(StoredDeclaration other, boolean byApi, String instance) {
		List<String> former = this.others;
		for (String declarer : this.declarers) {
			former = with(former, declarer);
		}
		return new RecurringState(this.revision, other, byApi, instance, byApi ? List.of() : List.of(instance), former,
				this.paused, this.next, this.nextUid, this.runs, this.busy, this.lastTick, null, false, this.withdrawn);
	}

	RecurringState next(@Nullable Long tick) {
		return new RecurringState(this.revision, this.declaration, this.declaredByApi, this.declaredBy, this.declarers,
				this.others, this.paused, tick, this.nextUid, this.runs, this.busy, this.lastTick, this.overSince,
				this.removed, this.withdrawn);
	}

	RecurringState nextUid(@Nullable String uid) {
		return new RecurringState(this.revision, this.declaration, this.declaredByApi, this.declaredBy, this.declarers,
				this.others, this.paused, this.next, uid, this.runs, this.busy, this.lastTick, this.overSince,
				this.removed, this.withdrawn);
	}

	RecurringState paused(boolean wanted) {
		return new RecurringState(this.revision, this.declaration, this.declaredByApi, this.declaredBy, this.declarers,
				this.others, wanted, this.next, this.nextUid, this.runs, this.busy, this.lastTick, this.overSince,
				this.removed, this.withdrawn);
	}

	RecurringState runs(List<StoredRun> present) {
		List<StoredRun> kept = present.subList(Math.max(0, present.size() - MOST_RUNS), present.size());
		return new RecurringState(this.revision, this.declaration, this.declaredByApi, this.declaredBy, this.declarers,
				this.others, this.paused, this.next, this.nextUid, List.copyOf(kept), this.busy, this.lastTick,
				this.overSince, this.removed, this.withdrawn);
	}

	RecurringState busy(BusyTime time) {
		return new RecurringState(this.revision, this.declaration, this.declaredByApi, this.declaredBy, this.declarers,
				this.others, this.paused, this.next, this.nextUid, this.runs, time, this.lastTick, this.overSince,
				this.removed, this.withdrawn);
	}

	RecurringState ran(long tick) {
		return new RecurringState(this.revision, this.declaration, this.declaredByApi, this.declaredBy, this.declarers,
				this.others, this.paused, this.next, this.nextUid, this.runs, this.busy, tick, this.overSince,
				this.removed, this.withdrawn);
	}

	RecurringState over(long since, boolean byRemoval) {
		return new RecurringState(this.revision, this.declaration, this.declaredByApi, this.declaredBy, this.declarers,
				this.others, this.paused, this.next, this.nextUid, this.runs, this.busy, this.lastTick, since,
				byRemoval, this.withdrawn);
	}

	RecurringState withdrawn(List<String> present) {
		List<String> kept = present.subList(Math.max(0, present.size() - MOST_WITHDRAWN), present.size());
		return new RecurringState(this.revision, this.declaration, this.declaredByApi, this.declaredBy, this.declarers,
				this.others, this.paused, this.next, this.nextUid, this.runs, this.busy, this.lastTick, this.overSince,
				this.removed, List.copyOf(kept));
	}

	RecurringState changed() {
		return new RecurringState(this.revision + 1, this.declaration, this.declaredByApi, this.declaredBy,
				this.declarers, this.others, this.paused, this.next, this.nextUid, this.runs, this.busy, this.lastTick,
				this.overSince, this.removed, this.withdrawn);
	}

	private static List<String> with(List<String> instances, String instance) {
		List<String> all = new ArrayList<>(instances);
		all.remove(instance);
		all.add(instance);
		return List.copyOf(all.subList(Math.max(0, all.size() - MOST_DECLARERS), all.size()));
	}

}
