package io.redelay.queue.recurring.engine;

import java.time.Duration;
import java.time.ZoneId;
import java.util.List;

import io.redelay.queue.recurring.MissedTicks;
import io.redelay.queue.recurring.OverlappingRuns;
import org.jspecify.annotations.Nullable;

/**
 * A declaration as it is kept in Redis. Two declarations are the same if their records
 * are equal.
 *
 * @param cron the cron expression, or {@code null}
 * @param zone the zone of the cron expression, or {@code null}
 * @param everyMillis the interval in milliseconds, or {@code null}
 * @param missed what becomes of missed ticks
 * @param maxMissed how many missed ticks run at most
 * @param overlap what becomes of ticks while a run has not ended
 * @param maxQueued how many ticks wait at most
 * @param lateMillis how many milliseconds after it was due a tick is late
 * @param contentType what the payload is, or {@code null} if it is the tick itself
 * @param payload the payload as base64, or {@code null}
 * @param tags by what the messages are found
 * @param limits when it runs first and last, how often, and how its runs are spread
 * @param options what else each message has, or {@code null} if that is nothing
 */
record StoredDeclaration(@Nullable String cron, @Nullable String zone, @Nullable Long everyMillis, MissedTicks missed,
		int maxMissed, OverlappingRuns overlap, int maxQueued, long lateMillis, @Nullable String contentType,
		@Nullable String payload, List<String> tags, StoredLimits limits, @Nullable StoredOptions options) {

	/**
	 * The schedule without limits.
	 */
	TickSchedule plainSchedule() {
		if (this.everyMillis != null) {
			return new TickSchedule.Interval(Duration.ofMillis(this.everyMillis));
		}
		return new TickSchedule.Cron(String.valueOf(this.cron), ZoneId.of(String.valueOf(this.zone)));
	}

	/**
	 * The schedule.
	 * @param anchor from when intervals count, ms, or {@code null}
	 */
	TickSchedule schedule(@Nullable Long anchor) {
		return this.limits.limit(plainSchedule(), anchor);
	}

	/**
	 * Whether another declaration has the same ticks, which may end at another time.
	 */
	boolean ticksLike(StoredDeclaration other) {
		return plainSchedule().toString().equals(other.plainSchedule().toString())
				&& this.limits.ticksLike(other.limits);
	}

	/**
	 * Whether the number of its runs is known for longer than what recurs without end.
	 */
	boolean isCounted() {
		return this.limits.maxRuns() != null || this.limits.runAtDeclaration();
	}

}
