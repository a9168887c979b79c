package io.redelay.queue.recurring.engine;

import java.time.Duration;
import java.time.ZoneId;
import java.util.Base64;
import java.util.List;

import io.redelay.queue.recurring.MissedTicks;
import io.redelay.queue.recurring.OverlappingRuns;
import io.redelay.queue.send.ConvertedPayload;
import org.jspecify.annotations.Nullable;

/**
 * A declaration as it is kept in Redis. Two declarations are the same if their records
 * are equal.
 *
 * @param times when it ticks
 * @param rules what becomes of ticks that cannot run in time
 * @param payload the payload, or {@code null} if it is the tick itself
 * @param tags by what the messages are found
 * @param limits when it runs first and last, how often, and how its runs are spread
 * @param options what else each message has, or {@code null} if that is nothing
 */
record StoredDeclaration(Times times, Rules rules, @Nullable Payload payload, List<String> tags, StoredLimits limits,
		@Nullable StoredOptions options) {

	/**
	 * The schedule without limits.
	 */
	TickSchedule plainSchedule() {
		Long every = this.times.everyMillis;
		if (every != null) {
			return new TickSchedule.Interval(Duration.ofMillis(every));
		}
		return new TickSchedule.Cron(String.valueOf(this.times.cron), ZoneId.of(String.valueOf(this.times.zone)));
	}

	MissedTicks missed() {
		return this.rules.missed;
	}

	OverlappingRuns overlap() {
		return this.rules.overlap;
	}

	long lateMillis() {
		return this.rules.lateMillis;
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

	/**
	 * When a recurring message ticks, without limits.
	 *
	 * @param cron the cron expression, or {@code null}
	 * @param zone the zone of the cron expression, or {@code null}
	 * @param everyMillis the interval in milliseconds, or {@code null}
	 */
	record Times(@Nullable String cron, @Nullable String zone, @Nullable Long everyMillis) {

	}

	/**
	 * What becomes of ticks that cannot run in time.
	 *
	 * @param missed what becomes of missed ticks
	 * @param maxMissed how many missed ticks run at most
	 * @param overlap what becomes of ticks while a run has not ended
	 * @param maxQueued how many ticks wait at most
	 * @param lateMillis how many milliseconds after it was due a tick is late
	 */
	record Rules(MissedTicks missed, int maxMissed, OverlappingRuns overlap, int maxQueued, long lateMillis) {

	}

	/**
	 * The payload of each message.
	 *
	 * @param contentType what it is
	 * @param base64 the payload as base64
	 */
	record Payload(String contentType, String base64) {

		static Payload of(ConvertedPayload payload) {
			return new Payload(payload.contentType(), Base64.getEncoder().encodeToString(payload.bytes()));
		}

		byte[] bytes() {
			return Base64.getDecoder().decode(this.base64);
		}

	}

}
