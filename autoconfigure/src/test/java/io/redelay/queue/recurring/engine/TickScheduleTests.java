package io.redelay.queue.recurring.engine;

import java.time.Duration;
import java.time.Instant;
import java.time.LocalDateTime;
import java.time.ZoneId;
import java.util.ArrayList;
import java.util.List;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests of the times of ticks, on the days on which a zone changes its clock most of all.
 */
class TickScheduleTests {

	private static final ZoneId BERLIN = ZoneId.of("Europe/Berlin");

	@Test
	void aFixedHourThatTheClockLeavesOutTicksOnceRightAfterTheGap() {
		assertThat(ticks("0 30 2 * * *", BERLIN, "2026-03-27T12:00:00Z", 4)).containsExactly("2026-03-28T01:30:00Z",
				"2026-03-29T01:00:00Z", "2026-03-30T00:30:00Z", "2026-03-31T00:30:00Z");
		assertThat(ticks("0 0,15,30 2 * * *", BERLIN, "2026-03-28T12:00:00Z", 2))
			.containsExactly("2026-03-29T01:00:00Z", "2026-03-30T00:00:00Z");
	}

	@Test
	void aFixedHourThatComesTwiceTicksTheFirstTimeOnly() {
		assertThat(ticks("0 30 2 * * *", BERLIN, "2026-10-24T12:00:00Z", 2)).containsExactly("2026-10-25T00:30:00Z",
				"2026-10-26T01:30:00Z");
		assertThat(ticks("0 30 2 * * *", BERLIN, "2026-10-25T01:10:00Z", 1)).as("from within the second time")
			.containsExactly("2026-10-26T01:30:00Z");
		assertThat(ticks("0 0 3 * * *", BERLIN, "2026-10-25T01:10:00Z", 1)).as("the hour behind it")
			.containsExactly("2026-10-25T02:00:00Z");
	}

	@Test
	void eachHourGoesOnInRealTimeThroughBothChanges() {
		assertThat(ticks("0 30 * * * *", BERLIN, "2026-03-28T23:31:00Z", 4)).containsExactly("2026-03-29T00:30:00Z",
				"2026-03-29T01:30:00Z", "2026-03-29T02:30:00Z", "2026-03-29T03:30:00Z");
		assertThat(ticks("0 30 * * * *", BERLIN, "2026-10-24T23:31:00Z", 4)).containsExactly("2026-10-25T00:30:00Z",
				"2026-10-25T01:30:00Z", "2026-10-25T02:30:00Z", "2026-10-25T03:30:00Z");
		assertThat(ticks("@hourly", BERLIN, "2026-10-24T23:31:00Z", 3)).containsExactly("2026-10-25T00:00:00Z",
				"2026-10-25T01:00:00Z", "2026-10-25T02:00:00Z");
	}

	@Test
	void aChangeOfHalfAnHourAndOneAtMidnightAreNoDifferent() {
		// Lord Howe goes from 02:00 to 02:30 on 4 October 2026.
		assertThat(ticks("0 15 2 * * *", ZoneId.of("Australia/Lord_Howe"), "2026-10-03T12:00:00Z", 2))
			.containsExactly("2026-10-03T15:30:00Z", "2026-10-04T15:15:00Z");
		// Sao Paulo went from 00:00 to 01:00 on 4 November 2018.
		assertThat(ticks("@daily", ZoneId.of("America/Sao_Paulo"), "2018-11-03T12:00:00Z", 2))
			.containsExactly("2018-11-04T03:00:00Z", "2018-11-05T02:00:00Z");
	}

	@Test
	void eachDayOfManyYearsHasOneTickOfAFixedHour() {
		TickSchedule.Cron schedule = new TickSchedule.Cron("0 30 2 * * *", BERLIN);
		Instant each = Instant.parse("2026-01-01T00:00:00Z");
		LocalDateTime before = LocalDateTime.ofInstant(each, BERLIN).minusDays(1);
		for (int i = 0; i < 3650; i++) {
			Instant next = schedule.next(each);
			assertThat(next).isNotNull().isAfter(each);
			LocalDateTime local = LocalDateTime.ofInstant(next, BERLIN);
			assertThat(local.toLocalDate()).isEqualTo(before.toLocalDate().plusDays(1));
			each = next;
			before = local;
		}
	}

	@Test
	void aDateThatDoesNotExistNeverTicks() {
		assertThat(new TickSchedule.Cron("0 0 0 30 2 *", BERLIN).next(Instant.parse("2026-01-01T00:00:00Z"))).isNull();
		assertThat(new TickSchedule.Cron("0 0 0 29 2 *", BERLIN).next(Instant.parse("2026-01-01T00:00:00Z")))
			.isEqualTo("2028-02-28T23:00:00Z");
	}

	@Test
	void anIntervalCountsFromItsBeat() {
		TickSchedule schedule = new TickSchedule.Interval(Duration.ofSeconds(10));
		Instant beat = Instant.parse("2026-01-01T00:00:03Z");
		assertThat(schedule.next(beat, beat)).isEqualTo("2026-01-01T00:00:13Z");
		assertThat(schedule.next(Instant.parse("2026-01-01T00:01:00Z"), beat)).isEqualTo("2026-01-01T00:01:03Z");
		assertThat(schedule.next(Instant.parse("2026-01-01T00:00:00Z"), beat)).isEqualTo("2026-01-01T00:00:03Z");
	}

	private static List<String> ticks(String cron, ZoneId zone, String after, int count) {
		TickSchedule schedule = new TickSchedule.Cron(cron, zone);
		List<String> ticks = new ArrayList<>();
		Instant each = Instant.parse(after);
		for (int i = 0; i < count; i++) {
			each = schedule.next(each, each);
			assertThat(each).isNotNull();
			ticks.add(each.toString());
		}
		return ticks;
	}

}
