package io.redelay.queue.recurring.engine;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;

import io.redelay.queue.recurring.MissedTicks;
import io.redelay.queue.recurring.OverlappingRuns;
import io.redelay.queue.recurring.RecurringEvent.Kind;
import org.jspecify.annotations.Nullable;

/**
 * What is done about a tick whose message was claimed: whether it runs, and which tick is
 * the next one. It follows from what was declared, from the time, and from the runs that
 * have not ended.
 *
 * @param action what becomes of the message
 * @param since since when runs have been under way without a break if it runs, ms
 * @param next the next tick, ms, which may be over already; {@code null} if there is none
 * @param findings what is not as planned
 */
record TickPlan(Action action, long since, @Nullable Long next, List<Finding> findings) {

	/**
	 * How many ticks a plan looks at. Of an interval they are the newest ones, and those
	 * before are counted. Of a cron expression they are the oldest ones: unless some of
	 * them run, the next plan begins behind them.
	 */
	static final int MOST_DUE = 5000;

	/**
	 * What becomes of the message.
	 */
	enum Action {

		/**
		 * It is handled.
		 */
		RUN,

		/**
		 * It is acknowledged unhandled.
		 */
		SKIP,

		/**
		 * It is delivered again later, because an earlier run has not ended.
		 */
		WAIT

	}

	/**
	 * Something that is not as planned.
	 *
	 * @param kind what it is
	 * @param tick the first tick of which it is true, ms
	 * @param count of how many ticks it is true
	 */
	record Finding(Kind kind, long tick, int count) {

	}

	/**
	 * Ticks that are due.
	 *
	 * @param ticks those that are looked at, the one of the message first
	 * @param passed how many there are between the first one and the second one of an
	 * interval
	 * @param beyond the first tick that is due behind the last one, ms, or {@code null}
	 * if there is none
	 */
	private record Due(List<Long> ticks, long passed, @Nullable Long beyond) {

	}

	/**
	 * Makes the plan.
	 * @param state what is known, with a next tick
	 * @param unended the runs that have not ended
	 * @param now the present time, ms
	 */
	static TickPlan of(StoredRecurring state, List<StoredRun> unended, long now) {
		Long next = state.next();
		return new Planning(state.declaration(), state.schedule(), unended, state.busy(), now,
				(next != null) ? next : now, new ArrayList<>())
			.plan();
	}

	/**
	 * Makes one plan.
	 */
	private record Planning(StoredDeclaration declared, TickSchedule schedule, List<StoredRun> unended,
			@Nullable BusyTime busy, long now, long tick, List<Finding> findings) {

		TickPlan plan() {
			OverlappingRuns overlap = this.declared.overlap();
			if (overlap == OverlappingRuns.SKIP && !this.unended.isEmpty() && !isOverlapped(this.tick)) {
				// It makes up for what was missed before the run began.
				return new TickPlan(Action.WAIT, 0, this.tick, List.of());
			}
			List<Long> overlapped = new ArrayList<>();
			List<Long> others = new ArrayList<>();
			Due due = due();
			due.ticks().forEach((each) -> (isOverlapped(each) ? overlapped : others).add(each));
			TreeSet<Long> kept = new TreeSet<>();
			if (overlap == OverlappingRuns.QUEUE) {
				kept.addAll(keep(overlapped, this.declared.rules().maxQueued()));
			}
			kept.addAll(keepMissed(others, due.beyond() == null));
			Long later = kept.higher(this.tick);
			long end = (later != null) ? later : Long.MAX_VALUE;
			addFinding(Kind.OVERLAP_SKIPPED, leftOut(overlapped, kept, end),
					isOverlapped(this.tick) ? due.passed() : 0);
			addFinding(Kind.MISSED, leftOut(others, kept, end), isOverlapped(this.tick) ? 0 : due.passed());
			boolean runs = kept.contains(this.tick);
			boolean waited = overlapped.contains(this.tick);
			if (runs) {
				addRunFindings(waited);
			}
			Long next = (later != null) ? later : (due.beyond() != null) ? due.beyond() : future();
			return new TickPlan(runs ? Action.RUN : Action.SKIP, since(waited), next, List.copyOf(this.findings));
		}

		/**
		 * The tick, and those that have been due since, up to now.
		 */
		private Due due() {
			List<Long> due = new ArrayList<>(List.of(this.tick));
			Instant each = Instant.ofEpochMilli(this.tick);
			long passed = 0;
			Duration distance = this.schedule.distance();
			if (distance != null) {
				Instant newest = Instant.ofEpochMilli(Math.min(this.now, lastPossible()));
				Instant recent = newest.minus(distance.multipliedBy(MOST_DUE - 1));
				Instant next = recent.isAfter(each) ? this.schedule.next(recent, each) : null;
				if (next != null) {
					each = next;
					due.add(each.toEpochMilli());
					passed = (each.toEpochMilli() - this.tick) / distance.toMillis() - 1;
				}
			}
			while (true) {
				each = this.schedule.next(each, each);
				if (each == null || each.toEpochMilli() > this.now) {
					return new Due(due, passed, null);
				}
				if (due.size() >= MOST_DUE) {
					return new Due(due, passed, each.toEpochMilli());
				}
				due.add(each.toEpochMilli());
			}
		}

		private long lastPossible() {
			Instant end = this.schedule.end();
			return end.equals(Instant.MAX) ? Long.MAX_VALUE : end.toEpochMilli();
		}

		private boolean isOverlapped(long time) {
			if (this.declared.overlap() == OverlappingRuns.SIDE_BY_SIDE) {
				return false;
			}
			BusyTime last = this.busy;
			return (last != null && last.from() <= time && time <= last.to())
					|| (this.declared.overlap() == OverlappingRuns.SKIP
							&& this.unended.stream().anyMatch((run) -> run.since() <= time));
		}

		private List<Long> keepMissed(List<Long> ticks, boolean upToNow) {
			if (ticks.isEmpty()) {
				return ticks;
			}
			int last = ticks.size() - 1;
			boolean fresh = upToNow && this.now - ticks.get(last) <= this.declared.lateMillis();
			List<Long> missed = fresh ? ticks.subList(0, last) : ticks;
			List<Long> kept = new ArrayList<>();
			if (this.declared.missed() == MissedTicks.ONCE) {
				if (upToNow) {
					kept.add(ticks.get(0));
				}
			}
			else {
				if (this.declared.missed() == MissedTicks.ALL) {
					kept.addAll(keep(missed, this.declared.rules().maxMissed()));
				}
				if (fresh) {
					kept.add(ticks.get(last));
				}
			}
			return kept;
		}

		private static List<Long> keep(List<Long> ticks, int most) {
			return ticks.subList(Math.max(0, ticks.size() - most), ticks.size());
		}

		/**
		 * The ticks that do not run. Those behind the next tick that does are in its
		 * plan.
		 */
		private static List<Long> leftOut(List<Long> ticks, Set<Long> kept, long end) {
			return ticks.stream().filter((each) -> each < end && !kept.contains(each)).toList();
		}

		private void addFinding(Kind kind, List<Long> ticks, long passed) {
			if (!ticks.isEmpty() || passed > 0) {
				Instant beat = Instant.ofEpochMilli(this.tick);
				Instant first = (passed > 0 && (ticks.isEmpty() || ticks.get(0) > this.tick))
						? this.schedule.next(beat, beat) : null;
				this.findings.add(new Finding(kind, (first != null) ? first.toEpochMilli() : ticks.get(0),
						(int) Math.min(Integer.MAX_VALUE, ticks.size() + passed)));
			}
		}

		private void addFinding(Kind kind) {
			this.findings.add(new Finding(kind, this.tick, 1));
		}

		private void addRunFindings(boolean waited) {
			if (waited) {
				addFinding(Kind.OVERLAP_QUEUED);
			}
			else if (this.now - this.tick > this.declared.lateMillis()) {
				addFinding(Kind.LATE);
			}
			if (!this.unended.isEmpty() && this.declared.overlap() == OverlappingRuns.SIDE_BY_SIDE) {
				addFinding(Kind.OVERLAP_SIDE_BY_SIDE);
			}
		}

		private long since(boolean waited) {
			return (waited && this.busy != null) ? this.busy.from() : this.now;
		}

		/**
		 * The message may have been delivered early by request.
		 */
		private @Nullable Long future() {
			Instant last = Instant.ofEpochMilli(this.tick);
			Instant next = this.schedule.next(Instant.ofEpochMilli(Math.max(this.tick, this.now)), last);
			return (next != null) ? next.toEpochMilli() : null;
		}

	}

}
