package io.redelay.queue.admin.engine;

import java.time.Instant;
import java.time.ZoneId;
import java.time.ZonedDateTime;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;

import io.redelay.queue.admin.QueueCalendar.Span;

/**
 * The times between which the bars of a calendar are.
 */
final class CalendarTimes {

	private static final int FEW_MINUTES = 5;

	private static final int QUARTER_HOURS = 6;

	private CalendarTimes() {
	}

	/**
	 * Returns the times at which bars begin, and the end of the last one.
	 * @param now when the first bar begins
	 */
	static List<Instant> of(Instant now, Span span, ZoneId zone) {
		ZonedDateTime at = now.atZone(zone);
		Instant end = (switch (span) {
			case HOUR -> at.plusHours(1);
			case DAY -> at.plusDays(1);
			case WEEK -> at.plusWeeks(1);
			case MONTH -> at.plusMonths(1);
		}).toInstant();
		List<Instant> times = new ArrayList<>(List.of(now));
		while (at.toInstant().isBefore(end)) {
			at = next(at, span);
			times.add(at.toInstant());
		}
		return times;
	}

	/**
	 * Minutes are added to the time, so that an hour is one when clocks change. Days and
	 * quarters of days are of the local calendar, so that they begin when the reader's
	 * do.
	 */
	private static ZonedDateTime next(ZonedDateTime at, Span span) {
		ZonedDateTime minute = at.truncatedTo(ChronoUnit.MINUTES);
		ZonedDateTime next = switch (span) {
			case HOUR -> minute.plusMinutes(FEW_MINUTES - at.getMinute() % FEW_MINUTES);
			case DAY -> minute.plusMinutes(60 - at.getMinute());
			case WEEK -> at.toLocalDate()
				.atTime(at.getHour() / QUARTER_HOURS * QUARTER_HOURS, 0)
				.plusHours(QUARTER_HOURS)
				.atZone(at.getZone());
			case MONTH -> at.toLocalDate().plusDays(1).atStartOfDay(at.getZone());
		};
		// A zone may leave out a day: the two that follow each other begin at one time.
		return next.isAfter(at) ? next : at.plusDays(1);
	}

}
