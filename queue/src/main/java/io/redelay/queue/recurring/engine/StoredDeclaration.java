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
 */
record StoredDeclaration(@Nullable String cron, @Nullable String zone, @Nullable Long everyMillis, MissedTicks missed,
		int maxMissed, OverlappingRuns overlap, int maxQueued, long lateMillis, @Nullable String contentType,
		@Nullable String payload, List<String> tags) {

	TickSchedule schedule() {
		if (this.everyMillis != null) {
			return new TickSchedule.Interval(Duration.ofMillis(this.everyMillis));
		}
		return new TickSchedule.Cron(String.valueOf(this.cron), ZoneId.of(String.valueOf(this.zone)));
	}

	/**
	 * Whether another declaration has the same ticks.
	 */
	boolean ticksLike(StoredDeclaration other) {
		return schedule().toString().equals(other.schedule().toString());
	}

}
