package io.redelay.queue.recurring.engine;

import java.util.ArrayList;
import java.util.List;

import io.redelay.queue.recurring.MissedTicks;
import io.redelay.queue.recurring.OverlappingRuns;
import io.redelay.queue.recurring.RecurringEvent.Kind;
import io.redelay.queue.recurring.engine.TickPlan.Action;
import io.redelay.queue.recurring.engine.TickPlan.Finding;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests of what becomes of ticks. The interval is a second, and a tick is late after 300
 * ms.
 */
class TickPlanTests {

	private static final long T = 1_000_000;

	@Test
	void aTickInTimeRunsAndTheNextOneFollows() {
		for (MissedTicks missed : MissedTicks.values()) {
			for (OverlappingRuns overlap : OverlappingRuns.values()) {
				TickPlan plan = TickPlan.of(state(missed, overlap), List.of(), T + 5);
				assertThat(plan).isEqualTo(new TickPlan(Action.RUN, T + 5, T + 1000, List.of()));
			}
		}
	}

	@Test
	void aTickThatIsDeliveredEarlyRunsAndTheNextOneIsNotItself() {
		assertThat(TickPlan.of(state(MissedTicks.ONCE, OverlappingRuns.SKIP), List.of(), T - 4000).next())
			.isEqualTo(T + 1000);
	}

	@Test
	void aLateTickIsReportedAndLeftOutIfMissedOnesAre() {
		TickPlan once = TickPlan.of(state(MissedTicks.ONCE, OverlappingRuns.SKIP), List.of(), T + 400);
		assertThat(once.action()).isEqualTo(Action.RUN);
		assertThat(once.findings()).containsExactly(new Finding(Kind.LATE, T, 1));
		TickPlan skip = TickPlan.of(state(MissedTicks.SKIP, OverlappingRuns.SKIP), List.of(), T + 400);
		assertThat(skip.action()).isEqualTo(Action.SKIP);
		assertThat(skip.findings()).containsExactly(new Finding(Kind.MISSED, T, 1));
		assertThat(skip.next()).isEqualTo(T + 1000);
	}

	@Test
	void oneRunMakesUpForAllThatWasMissed() {
		TickPlan plan = TickPlan.of(state(MissedTicks.ONCE, OverlappingRuns.SKIP), List.of(), T + 5400);
		assertThat(plan.action()).isEqualTo(Action.RUN);
		assertThat(plan.next()).isEqualTo(T + 6000);
		assertThat(plan.findings()).containsExactly(new Finding(Kind.MISSED, T + 1000, 5),
				new Finding(Kind.LATE, T, 1));
	}

	@Test
	void aTickOfNowRunsThoughThoseBeforeItAreLeftOut() {
		List<Long> run = runs(state(MissedTicks.SKIP, OverlappingRuns.SKIP), T + 5100);
		assertThat(run).containsExactly(T + 5000);
	}

	@Test
	void theNewestOfThoseThatWereMissedRun() {
		assertThat(runs(state(MissedTicks.ALL, OverlappingRuns.SIDE_BY_SIDE), T + 5400)).containsExactly(T + 3000,
				T + 4000, T + 5000);
		assertThat(runs(state(MissedTicks.ALL, OverlappingRuns.SIDE_BY_SIDE), T + 5100)).containsExactly(T + 2000,
				T + 3000, T + 4000, T + 5000);
		assertThat(runs(state(MissedTicks.ALL, OverlappingRuns.SIDE_BY_SIDE), T + 1400)).containsExactly(T, T + 1000);
	}

	@Test
	void millionsOfMissedTicksTakeNoTimeAndTheNewestRun() {
		long now = T + 100_000_000_500L;
		assertThat(runs(state(MissedTicks.ALL, OverlappingRuns.SIDE_BY_SIDE), now)).containsExactly(T + 99_999_998_000L,
				T + 99_999_999_000L, T + 100_000_000_000L);
	}

	@Test
	void eachMissedTickOfAnIntervalIsReported() {
		long now = T + 36_000_400L;
		TickPlan once = TickPlan.of(state(MissedTicks.ONCE, OverlappingRuns.SKIP), List.of(), now);
		assertThat(once.findings()).containsExactly(new Finding(Kind.MISSED, T + 1000, 36_000),
				new Finding(Kind.LATE, T, 1));
		TickPlan skip = TickPlan.of(state(MissedTicks.SKIP, OverlappingRuns.SKIP), List.of(), now);
		assertThat(skip.findings()).containsExactly(new Finding(Kind.MISSED, T, 36_001));
		TickPlan all = TickPlan.of(state(MissedTicks.ALL, OverlappingRuns.SKIP), List.of(), now);
		assertThat(all.findings()).containsExactly(new Finding(Kind.MISSED, T, 35_998));
		TickPlan overlapped = TickPlan
			.of(state(MissedTicks.ALL, OverlappingRuns.SKIP).busy(new BusyTime(T - 1000, now)), List.of(), now);
		assertThat(overlapped.findings()).containsExactly(new Finding(Kind.OVERLAP_SKIPPED, T, 36_001));
		assertThat(overlapped.next()).isEqualTo(T + 36_001_000L);
	}

	@ParameterizedTest
	@EnumSource(MissedTicks.class)
	void eachMissedTickOfACronExpressionIsReportedHoweverManyThereAre(MissedTicks missed) {
		StoredRecurring state = secondly(missed);
		for (int count : new int[] { 4999, 5000, 5001, 10_000, 12_345 }) {
			Walk fresh = walk(state, T + count * 1000L + 100);
			Walk late = walk(state, T + count * 1000L + 400);
			List<Long> newest = List.of(T + count * 1000L - 3000, T + count * 1000L - 2000, T + count * 1000L - 1000,
					T + count * 1000L);
			switch (missed) {
				case SKIP -> {
					assertThat(fresh.runs()).containsExactly(T + count * 1000L);
					assertThat(late.runs()).isEmpty();
				}
				case ALL -> {
					assertThat(fresh.runs()).isEqualTo(newest);
					assertThat(late.runs()).isEqualTo(newest.subList(1, 4));
				}
				case ONCE -> {
					assertThat(fresh.runs()).hasSize(1);
					assertThat(late.runs()).hasSize(1);
				}
			}
			assertThat(fresh.missed() + fresh.runs().size()).isEqualTo(count + 1);
			assertThat(late.missed() + late.runs().size()).isEqualTo(count + 1);
			assertThat(fresh.plans()).as("each plan deals with thousands").isLessThan(10);
		}
	}

	@Test
	void oneRunMakesUpForAllThatACronExpressionMissedWithTheTimeOfTheFirstOneThatIsLookedAt() {
		assertThat(walk(secondly(MissedTicks.ONCE), T + 4_000_400).runs()).containsExactly(T);
		assertThat(walk(secondly(MissedTicks.ONCE), T + 12_000_400).runs()).containsExactly(T + 10_000_000);
	}

	@Test
	void aTickDuringARunIsLeftOut() {
		StoredRun run = new StoredRun("a", T - 1000, T - 1000);
		TickPlan plan = TickPlan.of(state(MissedTicks.ONCE, OverlappingRuns.SKIP), List.of(run), T + 5);
		assertThat(plan.action()).isEqualTo(Action.SKIP);
		assertThat(plan.next()).isEqualTo(T + 1000);
		assertThat(plan.findings()).containsExactly(new Finding(Kind.OVERLAP_SKIPPED, T, 1));
	}

	@Test
	void ticksDuringARunThatNoHandlerHadRoomToClaimAreLeftOutToo() {
		StoredRecurring busy = state(MissedTicks.ALL, OverlappingRuns.SKIP).busy(new BusyTime(T - 1000, T + 2500));
		TickPlan plan = TickPlan.of(busy, List.of(), T + 2505);
		assertThat(plan.action()).isEqualTo(Action.SKIP);
		assertThat(plan.next()).isEqualTo(T + 3000);
		assertThat(plan.findings()).containsExactly(new Finding(Kind.OVERLAP_SKIPPED, T, 3));
	}

	@Test
	void aTickDuringARunRunsBesideItIfItMay() {
		StoredRun run = new StoredRun("a", T - 1000, T - 1000);
		TickPlan plan = TickPlan.of(state(MissedTicks.ONCE, OverlappingRuns.SIDE_BY_SIDE), List.of(run), T + 5);
		assertThat(plan.action()).isEqualTo(Action.RUN);
		assertThat(plan.findings()).containsExactly(new Finding(Kind.OVERLAP_SIDE_BY_SIDE, T, 1));
	}

	@Test
	void ticksDuringARunQueueUpToANumberWhateverBecomesOfMissedOnes() {
		StoredRecurring busy = state(MissedTicks.SKIP, OverlappingRuns.QUEUE).busy(new BusyTime(T - 1000, T + 6500));
		TickPlan dropped = TickPlan.of(busy, List.of(), T + 6505);
		assertThat(dropped.action()).isEqualTo(Action.SKIP);
		assertThat(dropped.next()).isEqualTo(T + 2000);
		assertThat(dropped.findings()).containsExactly(new Finding(Kind.OVERLAP_SKIPPED, T, 2));
		TickPlan queued = TickPlan.of(busy.next(T + 2000), List.of(), T + 6505);
		assertThat(queued.action()).isEqualTo(Action.RUN);
		assertThat(queued.next()).isEqualTo(T + 3000);
		assertThat(queued.since()).as("those behind it have waited for the same run").isEqualTo(T - 1000);
		assertThat(queued.findings()).containsExactly(new Finding(Kind.OVERLAP_QUEUED, T + 2000, 1));
	}

	@Test
	void whatMakesUpForAMissedTickWaitsForTheRunBeforeIt() {
		StoredRun run = new StoredRun("a", T - 1000, T + 5000);
		TickPlan plan = TickPlan.of(state(MissedTicks.ALL, OverlappingRuns.SKIP), List.of(run), T + 5010);
		assertThat(plan).isEqualTo(new TickPlan(Action.WAIT, 0, T, List.of()));
	}

	@ParameterizedTest
	@EnumSource(MissedTicks.class)
	void eachTickRunsOrIsReportedOnceThoughSomeOverlappedAndOthersWereMissed(MissedTicks missed) {
		for (OverlappingRuns overlap : OverlappingRuns.values()) {
			for (BusyTime busy : List.of(new BusyTime(T - 500, T + 2500), new BusyTime(T + 1500, T + 3500),
					new BusyTime(T + 2500, T + 30_000))) {
				for (long pause : new long[] { 0, 90, 700, 2300 }) {
					assertEachOnce(state(missed, overlap).busy(busy), T + 12_100, pause);
				}
			}
		}
	}

	/**
	 * Plans one tick after the other until none is due.
	 * @param pause how much later each of them is claimed than the one before
	 */
	private static void assertEachOnce(StoredRecurring state, long from, long pause) {
		List<TickPlan> plans = new ArrayList<>();
		StoredRecurring present = state;
		long now = from;
		long accounted = 0;
		Long tick = present.next();
		while (tick != null && tick <= now && plans.size() < 200) {
			TickPlan plan = TickPlan.of(present, List.of(), now);
			plans.add(plan);
			accounted += (plan.action() == Action.RUN) ? 1 : 0;
			accounted += plan.findings()
				.stream()
				.filter((finding) -> finding.kind() == Kind.MISSED || finding.kind() == Kind.OVERLAP_SKIPPED)
				.mapToInt(Finding::count)
				.sum();
			present = present.next(plan.next());
			tick = present.next();
			now += (plans.size() < 20) ? pause : 0;
		}
		assertThat(tick).isNotNull();
		assertThat(accounted).as("ticks that ran or were reported: %s of %s", plans, state)
			.isEqualTo((tick - T) / 1000);
	}

	/**
	 * The ticks that run one after the other, all claimed at one time.
	 */
	private static List<Long> runs(StoredRecurring state, long now) {
		return walk(state, now).runs();
	}

	private static Walk walk(StoredRecurring state, long now) {
		List<Long> runs = new ArrayList<>();
		int missed = 0;
		int plans = 0;
		StoredRecurring present = state;
		Long tick = present.next();
		while (tick != null && tick <= now) {
			TickPlan plan = TickPlan.of(present, List.of(), now);
			plans++;
			missed += plan.findings()
				.stream()
				.filter((finding) -> finding.kind() == Kind.MISSED)
				.mapToInt(Finding::count)
				.sum();
			if (plan.action() == Action.RUN) {
				runs.add(tick);
			}
			present = present.next(plan.next());
			tick = present.next();
		}
		return new Walk(runs, missed, plans);
	}

	/**
	 * What became of ticks that were all claimed at one time.
	 */
	private record Walk(List<Long> runs, int missed, int plans) {

	}

	private static StoredRecurring secondly(MissedTicks missed) {
		StoredDeclaration declared = new StoredDeclaration(new StoredDeclaration.Times("* * * * * *", "UTC", null),
				new StoredDeclaration.Rules(missed, 3, OverlappingRuns.SKIP, 5, 300), null, List.of(),
				StoredLimits.NONE, null);
		return StoredRecurring.first(declared, false, "here").next(T);
	}

	private static StoredRecurring state(MissedTicks missed, OverlappingRuns overlap) {
		return StoredRecurring.first(declaration(missed, overlap, null), false, "here").next(T);
	}

	private static StoredDeclaration declaration(MissedTicks missed, OverlappingRuns overlap,
			@Nullable String payload) {
		return new StoredDeclaration(new StoredDeclaration.Times(null, null, 1000L),
				new StoredDeclaration.Rules(missed, 3, overlap, 5, 300),
				(payload != null) ? new StoredDeclaration.Payload("text/plain", payload) : null, List.of(),
				StoredLimits.NONE, null);
	}

}
