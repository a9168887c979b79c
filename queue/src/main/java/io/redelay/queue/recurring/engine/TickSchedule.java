package io.redelay.queue.recurring.engine;

import java.time.Duration;
import java.time.Instant;
import java.time.LocalDateTime;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.time.zone.ZoneOffsetTransition;
import java.time.zone.ZoneRules;
import java.util.Objects;

import org.jspecify.annotations.Nullable;

import org.springframework.scheduling.support.CronExpression;

/**
 * When a recurring message ticks.
 */
sealed interface TickSchedule {

	/**
	 * Returns the first tick after a time.
	 * @param after the time
	 * @param beat a tick, or the time of the declaration: intervals count from it
	 * @return the tick, or {@code null} if there is none
	 */
	@Nullable Instant next(Instant after, Instant beat);

	/**
	 * Ticks whose time has the same distance to the next one.
	 *
	 * @param every the distance, in whole milliseconds
	 */
	record Interval(Duration every) implements TickSchedule {

		@Override
		public Instant next(Instant after, Instant beat) {
			long length = this.every.toMillis();
			long passed = Math.floorDiv(Duration.between(beat, after).toMillis(), length);
			return beat.plusMillis((passed + 1) * length);
		}

		@Override
		public String toString() {
			return "every " + this.every;
		}

	}

	/**
	 * Ticks by a cron expression and the clock of a zone. When the clock is put forward,
	 * an expression whose hours begin with {@code *} goes on in real time, and another
	 * one ticks once, right after the gap, for all that it would have ticked for inside
	 * it. When the clock is put back, the former ticks in both of the hours that have the
	 * same name, and the latter in the first one only.
	 *
	 * @param text the expression
	 * @param expression the same, parsed
	 * @param zone the zone
	 */
	record Cron(String text, CronExpression expression, ZoneId zone) implements TickSchedule {

		private static final int MOST_TRANSITIONS = 1000;

		Cron(String text, ZoneId zone) {
			this(text, CronExpression.parse(text), zone);
		}

		@Override
		public @Nullable Instant next(Instant after, Instant beat) {
			return next(after);
		}

		/**
		 * Goes from one change of the zone's offset to the next: between them, local time
		 * has no gap and names no hour twice.
		 */
		@Nullable Instant next(Instant after) {
			ZoneRules rules = this.zone.getRules();
			ZoneOffset offset = rules.getOffset(after);
			LocalDateTime from = LocalDateTime.ofInstant(after, offset);
			ZoneOffsetTransition last = rules.getTransition(from);
			if (last != null && last.isOverlap() && offset.equals(last.getOffsetAfter())) {
				from = behindRepeated(last, from);
			}
			Instant segment = after;
			for (int i = 0; i < MOST_TRANSITIONS; i++) {
				LocalDateTime match = this.expression.next(from);
				if (match == null) {
					return null;
				}
				ZoneOffsetTransition change = rules.nextTransition(segment);
				Instant tick = match.toInstant(offset);
				if (change == null || tick.isBefore(change.getInstant())) {
					return tick;
				}
				if (change.isGap() && !isHourly() && match.isBefore(change.getDateTimeAfter())) {
					return change.getInstant();
				}
				segment = change.getInstant();
				offset = change.getOffsetAfter();
				from = change.getDateTimeAfter().minusNanos(1);
				if (change.isOverlap()) {
					from = behindRepeated(change, from);
				}
			}
			return null;
		}

		/**
		 * Leaves out the hours that have had their ticks before the clock was put back.
		 */
		private LocalDateTime behindRepeated(ZoneOffsetTransition overlap, LocalDateTime from) {
			LocalDateTime end = overlap.getDateTimeBefore().minusNanos(1);
			return (!isHourly() && from.isBefore(end)) ? end : from;
		}

		/**
		 * Whether the ticks follow real time, not the name of an hour.
		 */
		private boolean isHourly() {
			if (this.text.startsWith("@")) {
				return this.text.equals("@hourly");
			}
			return Objects.requireNonNull(this.text.strip().split("\\s+")[2]).startsWith("*");
		}

		@Override
		public String toString() {
			return this.text + " (" + this.zone + ")";
		}

	}

}
