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
	void aLateTickIsToldAndLeftOutIfMissedOnesAre() {
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
	void aTickDuringARunIsLeftOut() {
		StoredRun run = new StoredRun("a", T - 1000, T - 1000);
		TickPlan plan = TickPlan.of(state(MissedTicks.ONCE, OverlappingRuns.SKIP), List.of(run), T + 5);
		assertThat(plan.action()).isEqualTo(Action.SKIP);
		assertThat(plan.next()).isEqualTo(T + 1000);
		assertThat(plan.findings()).containsExactly(new Finding(Kind.OVERLAP_SKIPPED, T, 1));
	}

	@Test
	void ticksDuringARunThatNobodyHadRoomToClaimAreLeftOutToo() {
		RecurringState busy = state(MissedTicks.ALL, OverlappingRuns.SKIP).busy(new BusyTime(T - 1000, T + 2500));
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
		RecurringState busy = state(MissedTicks.SKIP, OverlappingRuns.QUEUE).busy(new BusyTime(T - 1000, T + 6500));
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

	/**
	 * The ticks that run one after the other, all claimed at one time.
	 */
	private static List<Long> runs(RecurringState state, long now) {
		List<Long> runs = new ArrayList<>();
		RecurringState present = state;
		Long tick = present.next();
		while (tick != null && tick <= now) {
			TickPlan plan = TickPlan.of(present, List.of(), now);
			if (plan.action() == Action.RUN) {
				runs.add(tick);
			}
			present = present.next(plan.next());
			tick = present.next();
		}
		return runs;
	}

	private static RecurringState state(MissedTicks missed, OverlappingRuns overlap) {
		return RecurringState.first(declaration(missed, overlap, null), false, "here").next(T);
	}

	private static StoredDeclaration declaration(MissedTicks missed, OverlappingRuns overlap,
			@Nullable String payload) {
		return new StoredDeclaration(null, null, 1000L, missed, 3, overlap, 5, 300, null, payload, List.of());
	}

}
