package io.redelay.queue.recurring.engine;

import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.ZoneId;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;

import io.redelay.queue.recurring.MissedTicks;
import io.redelay.queue.recurring.OverlappingRuns;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.json.JsonMapper;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

/**
 * Tests of the times of ticks that begin, end, are counted or are spread.
 */
class TickLimitsTests {

	private static final Instant T = Instant.parse("2026-03-01T00:00:00Z");

	private static final ZoneId BERLIN = ZoneId.of("Europe/Berlin");

	private static final Duration MINUTE = Duration.ofMinutes(1);

	@Test
	void stateOfAnotherBuildIsNamedWithoutAllOfIt() {
		String kept = "\n{\"revision\":\"" + "x".repeat(500) + "\"}";
		assertThatIllegalStateException().isThrownBy(() -> StoredRecurring.read(JsonMapper.shared(), kept))
			.withMessageStartingWith("What Redis has of a recurring message cannot be read: '")
			.satisfies((ex) -> assertThat(ex.getMessage()).hasSizeLessThan(300).endsWith("before the first release"));
	}

	@Test
	void theFirstTickOfAnIntervalIsAtItsBeginningWheneverItIsDeclared() {
		TickSchedule schedule = new TickSchedule.Bounded(new TickSchedule.Interval(MINUTE), T, null);
		for (Instant declared : List.of(T.minusSeconds(90), T.minusSeconds(1), T.minusMillis(1))) {
			assertThat(schedule.next(declared, declared)).isEqualTo(T);
		}
		assertThat(schedule.next(T, T)).isEqualTo(T.plusSeconds(60));
		assertThat(schedule.next(T.plusSeconds(90), T.plusSeconds(77))).isEqualTo(T.plusSeconds(120));
	}

	@Test
	void aTickAtTheBeginningAndOneAtTheEndRunAndNoneOutside() {
		TickSchedule schedule = new TickSchedule.Bounded(new TickSchedule.Cron("0 0 12 * * *", ZoneId.of("UTC")),
				Instant.parse("2026-03-02T12:00:00Z"), Instant.parse("2026-03-04T12:00:00Z"));
		assertThat(all(schedule, T)).containsExactly(Instant.parse("2026-03-02T12:00:00Z"),
				Instant.parse("2026-03-03T12:00:00Z"), Instant.parse("2026-03-04T12:00:00Z"));
	}

	@Test
	void aSpanOverAChangeOfTheClockHasOneTickADay() {
		TickSchedule schedule = new TickSchedule.Bounded(new TickSchedule.Cron("0 30 2 * * *", BERLIN),
				Instant.parse("2026-03-28T01:30:00Z"), Instant.parse("2026-03-30T00:30:00Z"));
		assertThat(all(schedule, T)).containsExactly(Instant.parse("2026-03-28T01:30:00Z"),
				Instant.parse("2026-03-29T01:00:00Z"), Instant.parse("2026-03-30T00:30:00Z"));
	}

	@Test
	void jitterIsNeverEarlyNorPastTheNextTickAndTheSameForAll() {
		Duration jitter = Duration.ofSeconds(59);
		TickSchedule plain = new TickSchedule.Interval(MINUTE);
		TickSchedule one = jittered(plain, jitter, "reports/nightly");
		TickSchedule other = jittered(plain, jitter, "reports/nightly");
		List<Instant> ticks = new ArrayList<>();
		Instant each = T;
		for (int i = 1; i <= 2000; i++) {
			Instant planned = T.plus(MINUTE.multipliedBy(i));
			each = one.next(each, each);
			assertThat(each).isBetween(planned, planned.plus(jitter));
			ticks.add(each);
		}
		Random random = new Random(7);
		for (int i = 0; i < 2000; i++) {
			Instant after = T.plusMillis(random.nextInt(1999 * 60_000));
			Instant first = ticks.stream().filter((tick) -> tick.isAfter(after)).findFirst().orElseThrow();
			assertThat(other.next(after, after)).as("after %s", after).isEqualTo(first);
		}
		assertThat(ticks.stream().map((tick) -> tick.getEpochSecond() % 60).distinct().count())
			.as("all of the time is used")
			.isGreaterThanOrEqualTo(59);
		assertThat(all(jittered(plain, jitter, "reports/weekly"), T).subList(0, 100))
			.isNotEqualTo(ticks.subList(0, 100));
	}

	@Test
	void jitterGivesWayToATickThatComesSooner() {
		// Each day at noon, and one minute past it.
		TickSchedule schedule = jittered(new TickSchedule.Cron("0 0,1 12 * * *", ZoneId.of("UTC")), Duration.ofHours(1),
				"x");
		List<Instant> ticks = all(schedule, T).subList(0, 200);
		for (int i = 0; i < 200; i += 2) {
			Instant noon = T.plus(Duration.ofDays(i / 2)).plus(Duration.ofHours(12));
			assertThat(ticks.get(i)).isBetween(noon, noon.plusMillis(59_999));
			assertThat(ticks.get(i + 1)).isBetween(noon.plusSeconds(60), noon.plusSeconds(3660));
		}
	}

	@Test
	void jitterEndsWithTheLastTick() {
		Instant end = T.plusSeconds(600);
		TickSchedule schedule = jittered(new TickSchedule.Bounded(new TickSchedule.Interval(MINUTE), null, end),
				Duration.ofSeconds(50), "x");
		List<Instant> ticks = all(schedule, T);
		assertThat(ticks).hasSize(10);
		assertThat(ticks.get(9)).isEqualTo(end);
	}

	@Test
	void jitterOfAFixedHourIsOnceADayThroughBothChangesOfTheClock() {
		Instant each = Instant.parse("2025-12-31T23:00:00Z");
		TickSchedule schedule = new TickSchedule.Jittered(new TickSchedule.Cron("0 30 2 * * *", BERLIN),
				Duration.ofHours(20).toMillis(), "x", each);
		LocalDate day = LocalDate.parse("2026-01-01");
		TickSchedule.Cron planned = new TickSchedule.Cron("0 30 2 * * *", BERLIN);
		Instant plan = each;
		for (int i = 0; i < 730; i++) {
			plan = planned.next(plan);
			each = schedule.next(each, each);
			assertThat(plan).isNotNull();
			assertThat(each).isBetween(plan, plan.plus(Duration.ofHours(20)));
			assertThat(LocalDate.ofInstant(plan, BERLIN)).isEqualTo(day.plusDays(i));
		}
	}

	@Test
	void theLastRunHasNoNextTick() {
		StoredRecurring state = StoredRecurring.first(declaration(null, null, 3), false, "here").anchored(T).goingOn(T);
		for (int run = 1; run <= 3; run++) {
			assertThat(state.next()).isEqualTo(T.plus(MINUTE.multipliedBy(run)).toEpochMilli());
			assertThat(state.hasEnded()).isFalse();
			Long tick = state.next();
			state = state.next(tick + 60_000).ran(tick);
		}
		assertThat(state.hasEnded()).isTrue();
		assertThat(state.begun()).isEqualTo(3);
		assertThat(state.goingOn(T.plusSeconds(999)).next()).isNull();
	}

	@Test
	void missedTicksEndWithTheSpanHoweverLongItIsOver() {
		Instant end = T.plus(Duration.ofDays(100));
		StoredRecurring state = StoredRecurring.first(declaration(T.plusSeconds(60), end, null), false, "here")
			.anchored(T)
			.goingOn(T);
		Instant now = end.plus(Duration.ofDays(3000));
		TickPlan plan = TickPlan.of(state, List.of(), now.toEpochMilli());
		assertThat(plan.action()).isEqualTo(TickPlan.Action.SKIP);
		List<Long> ran = new ArrayList<>();
		StoredRecurring present = state;
		while (present.next() != null) {
			TickPlan each = TickPlan.of(present, List.of(), now.toEpochMilli());
			if (each.action() == TickPlan.Action.RUN) {
				ran.add(present.next());
			}
			present = present.next(each.next());
		}
		assertThat(ran).containsExactly(end.minusSeconds(120).toEpochMilli(), end.minusSeconds(60).toEpochMilli(),
				end.toEpochMilli());
	}

	private static TickSchedule jittered(TickSchedule ticks, Duration jitter, String seed) {
		return new TickSchedule.Jittered(ticks, jitter.toMillis(), seed, T);
	}

	private static List<Instant> all(TickSchedule schedule, Instant after) {
		List<Instant> ticks = new ArrayList<>();
		Instant each = schedule.next(after, after);
		while (each != null && ticks.size() < 1000) {
			ticks.add(each);
			each = schedule.next(each, each);
		}
		return ticks;
	}

	private static StoredDeclaration declaration(@Nullable Instant from, @Nullable Instant until,
			@Nullable Integer maxRuns) {
		StoredLimits limits = new StoredLimits((from != null) ? from.toEpochMilli() : null,
				(until != null) ? until.toEpochMilli() : null, maxRuns, false, 0, null);
		return new StoredDeclaration(new StoredDeclaration.Times(null, null, 60_000L),
				new StoredDeclaration.Rules(MissedTicks.ALL, 3, OverlappingRuns.SIDE_BY_SIDE, 5, 300), null, List.of(),
				limits, null);
	}

}
