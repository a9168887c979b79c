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
	 * Returns the distance between ticks if it is always the same.
	 * @return the distance, or {@code null} if it differs
	 */
	default @Nullable Duration distance() {
		return null;
	}

	/**
	 * Returns the time after which there is no tick.
	 * @return the time
	 */
	default Instant end() {
		return Instant.MAX;
	}

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
		public Duration distance() {
			return this.every;
		}

		@Override
		public String toString() {
			return "every " + this.every;
		}

	}

	/**
	 * The ticks of another schedule within a span of time. Those of an interval count
	 * from its beginning.
	 *
	 * @param ticks the other schedule
	 * @param from the time before which there is no tick, in whole milliseconds, or
	 * {@code null}
	 * @param until after when there is none, or {@code null}
	 */
	record Bounded(TickSchedule ticks, @Nullable Instant from, @Nullable Instant until) implements TickSchedule {

		@Override
		public @Nullable Instant next(Instant after, Instant beat) {
			Instant tick = (this.from == null) ? this.ticks.next(after, beat)
					: this.ticks.next(after.isBefore(this.from) ? this.from.minusMillis(1) : after, this.from);
			return (tick != null && tick.isAfter(end())) ? null : tick;
		}

		@Override
		public @Nullable Duration distance() {
			return this.ticks.distance();
		}

		@Override
		public Instant end() {
			return (this.until != null) ? this.until : Instant.MAX;
		}

	}

	/**
	 * The ticks of another schedule, each later by a time that follows from its own time
	 * and a seed: before the next one, and not after the end.
	 *
	 * @param ticks the other schedule
	 * @param jitterMillis how much later they are at most
	 * @param seed what makes it differ from others
	 * @param anchor when it was declared, from when intervals count, which a tick does
	 * not say; or {@code null}
	 */
	record Jittered(TickSchedule ticks, long jitterMillis, String seed,
			@Nullable Instant anchor) implements TickSchedule {

		/**
		 * The next tick was planned within the jitter before it, where there is one tick,
		 * or few if those of a cron expression are closer together than was found out.
		 */
		private static final int MOST_WITHIN_JITTER = 100;

		@Override
		public @Nullable Instant next(Instant after, Instant beat) {
			Instant start = (this.anchor != null) ? this.anchor : beat;
			Instant before = after.minusMillis(this.jitterMillis + 1);
			if (this.anchor != null && before.isBefore(this.anchor)) {
				// What was planned before the declaration is not its tick.
				before = this.anchor;
			}
			Instant planned = this.ticks.next(before, start);
			for (int i = 0; planned != null && i < MOST_WITHIN_JITTER; i++) {
				Instant following = this.ticks.next(planned, start);
				Instant tick = later(planned, following);
				if (tick.isAfter(after)) {
					return tick;
				}
				planned = following;
			}
			return (planned != null) ? this.ticks.next(after, start) : null;
		}

		private Instant later(Instant planned, @Nullable Instant following) {
			Instant latest = planned.plusMillis(this.jitterMillis);
			if (following != null && !following.isAfter(latest)) {
				latest = following.minusMillis(1);
			}
			if (latest.isAfter(end())) {
				latest = end();
			}
			long most = Math.max(0, Duration.between(planned, latest).toMillis());
			return planned.plusMillis(Math.floorMod(mixed(planned.toEpochMilli()), most + 1));
		}

		/**
		 * Spreads times that differ little over all numbers, as SplitMix64 does.
		 */
		private long mixed(long millis) {
			long mixed = millis + this.seed.hashCode() * 0x9E3779B97F4A7C15L;
			mixed = (mixed ^ (mixed >>> 30)) * 0xBF58476D1CE4E5B9L;
			mixed = (mixed ^ (mixed >>> 27)) * 0x94D049BB133111EBL;
			return mixed ^ (mixed >>> 31);
		}

		@Override
		public Instant end() {
			return this.ticks.end();
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
