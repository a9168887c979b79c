package io.redelay.queue.recurring.engine;

import java.time.Duration;
import java.time.Instant;

import io.redelay.queue.recurring.RunLimits;
import org.jspecify.annotations.Nullable;

/**
 * When a recurring message runs first and last, how often, and how its runs are spread,
 * as it is kept in Redis.
 *
 * @param from the time before which it does not run, ms, or {@code null}
 * @param until the time after which it has no tick, ms, or {@code null}
 * @param maxRuns how many runs there are in all, or {@code null} for any number
 * @param runAtDeclaration whether it runs at once when it is declared
 * @param jitterMillis by how many milliseconds its ticks are later at most
 * @param seed what the jitter follows from beside the time, or {@code null} without one
 */
record StoredLimits(@Nullable Long from, @Nullable Long until, @Nullable Integer maxRuns, boolean runAtDeclaration,
		long jitterMillis, @Nullable String seed) {

	static final StoredLimits NONE = new StoredLimits(null, null, null, false, 0, null);

	/**
	 * Whether others have the same ticks, which may end at another time.
	 */
	boolean ticksLike(StoredLimits other) {
		return equals(new StoredLimits(other.from, this.until, this.maxRuns, this.runAtDeclaration, other.jitterMillis,
				other.seed));
	}

	TickSchedule limit(TickSchedule plain, @Nullable Long anchor) {
		TickSchedule bounded = (this.from != null || this.until != null)
				? new TickSchedule.Bounded(plain, instant(this.from), instant(this.until)) : plain;
		return (this.seed != null) ? new TickSchedule.Jittered(bounded, this.jitterMillis, this.seed, instant(anchor))
				: bounded;
	}

	RunLimits toLimits() {
		return new RunLimits(instant(this.from), instant(this.until), this.maxRuns, this.runAtDeclaration,
				Duration.ofMillis(this.jitterMillis));
	}

	private static @Nullable Instant instant(@Nullable Long millis) {
		return (millis != null) ? Instant.ofEpochMilli(millis) : null;
	}

}
