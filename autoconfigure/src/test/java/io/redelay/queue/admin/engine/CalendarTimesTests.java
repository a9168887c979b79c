package io.redelay.queue.admin.engine;

import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZonedDateTime;
import java.util.ArrayList;
import java.util.List;

import io.redelay.queue.admin.QueueCalendar.Span;
import io.redelay.queue.script.admin.CalendarScript;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for the times of a calendar, above all when clocks change.
 */
class CalendarTimesTests {

	@Test
	void minutesHoursAndQuartersAreThoseOfTheClock() {
		assertThat(hours("2026-05-04T10:07:30+02:00[Europe/Berlin]", Span.HOUR)).startsWith("10:07", "10:10", "10:15")
			.endsWith("11:05", "11:10")
			.hasSize(14);
		assertThat(hours("2026-05-04T10:07:30+02:00[Europe/Berlin]", Span.DAY)).startsWith("10:07", "11:00", "12:00")
			.endsWith("10:00", "11:00")
			.hasSize(26);
		assertThat(hours("2026-05-04T10:07:30+02:00[Europe/Berlin]", Span.WEEK))
			.startsWith("10:07", "12:00", "18:00", "00:00")
			.endsWith("06:00", "12:00")
			.hasSize(30);
		assertThat(hours("2026-05-04T10:07:30+05:30[Asia/Kolkata]", Span.DAY)).startsWith("10:07", "11:00");
	}

	@Test
	void aDayOnWhichClocksChangeIsShorterOrLonger() {
		assertThat(lengths("2026-03-28T00:00:00+01:00[Europe/Berlin]", Span.MONTH)).startsWith(Duration.ofHours(24),
				Duration.ofHours(23), Duration.ofHours(24));
		assertThat(lengths("2026-10-24T00:00:00+02:00[Europe/Berlin]", Span.MONTH)).startsWith(Duration.ofHours(24),
				Duration.ofHours(25), Duration.ofHours(24));
		assertThat(hours("2026-10-24T00:00:00+02:00[Europe/Berlin]", Span.WEEK)).contains("06:00")
			.allMatch((hour) -> List.of("00:00", "06:00", "12:00", "18:00").contains(hour));
		// Clocks go from midnight to one.
		assertThat(hours("2026-09-05T20:00:00-04:00[America/Santiago]", Span.MONTH).subList(0, 3))
			.containsExactly("20:00", "01:00", "00:00");
	}

	@Test
	void anHourHasSixtyMinutesAlsoWhenClocksChange() {
		for (String start : List.of("2026-03-29T00:00:00+01:00[Europe/Berlin]",
				"2026-10-25T00:00:00+02:00[Europe/Berlin]")) {
			assertThat(lengths(start, Span.DAY)).containsOnly(Duration.ofHours(1));
		}
		// Half an hour is left out or comes again.
		assertThat(lengths("2026-10-03T23:00:00+10:30[Australia/Lord_Howe]", Span.DAY))
			.allMatch((length) -> length.equals(Duration.ofHours(1)) || length.equals(Duration.ofMinutes(30)));
	}

	@ParameterizedTest
	@ValueSource(strings = { "Europe/Berlin", "America/Santiago", "Australia/Lord_Howe", "Asia/Kathmandu",
			"Pacific/Apia", "Africa/Cairo", "UTC", "+14:00" })
	void barsFollowEachOtherAndAreFew(String name) {
		ZoneId zone = ZoneId.of(name);
		// Apia left out the 30th of December 2011.
		for (String begin : List.of("2011-12-01T00:00:00.001Z", "2026-01-01T00:00:00.001Z")) {
			Instant from = Instant.parse(begin);
			for (int hour = 0; hour < 24 * 365; hour += 7) {
				Instant now = from.plus(Duration.ofMinutes(hour * 60L + hour % 60));
				for (Span span : Span.values()) {
					List<Instant> times = CalendarTimes.of(now, span, zone);
					assertThat(times.get(0)).isEqualTo(now);
					assertThat(times.size() - 1).isBetween(12, CalendarScript.MAX_BARS);
					for (int i = 1; i < times.size(); i++) {
						if (!times.get(i).isAfter(times.get(i - 1))) {
							throw new AssertionError(span + " at " + now + ": " + times);
						}
					}
				}
			}
		}
	}

	private static List<String> hours(String start, Span span) {
		ZonedDateTime now = ZonedDateTime.parse(start);
		return CalendarTimes.of(now.toInstant(), span, now.getZone())
			.stream()
			.map((time) -> time.atZone(now.getZone()).toLocalTime().toString().substring(0, 5))
			.toList();
	}

	private static List<Duration> lengths(String start, Span span) {
		ZonedDateTime now = ZonedDateTime.parse(start);
		List<Instant> times = CalendarTimes.of(now.toInstant(), span, now.getZone());
		List<Duration> lengths = new ArrayList<>();
		for (int i = 1; i < times.size(); i++) {
			lengths.add(Duration.between(times.get(i - 1), times.get(i)));
		}
		return lengths;
	}

}
