package io.redelay.queue.recurring;

import java.time.Duration;
import java.time.Instant;

import org.jspecify.annotations.Nullable;

/**
 * When a recurring message runs first and last, how often in all, and how its runs are
 * spread. Values are checked when it is declared.
 *
 * @param from the time before which it does not run, or {@code null}: ticks of an
 * interval count from here, and the first one is at this time
 * @param until the time after which it has no ticks, or {@code null}; one at this time
 * runs
 * @param maxRuns how many runs there are in all, over all instances, or {@code null} for
 * any number. Runs by {@link RecurringMessages#runNow} do not count
 * @param runAtDeclaration whether it runs at once when it is first declared, or its
 * declaration changes
 * @param jitter by how much its ticks are later than planned at most. How much a tick is
 * later follows from its name and time, and is the same in all instances
 * @since 0.1.0
 */
public record RunLimits(@Nullable Instant from, @Nullable Instant until, @Nullable Integer maxRuns,
		boolean runAtDeclaration, Duration jitter) {

	/**
	 * Without limits, and without jitter.
	 */
	public static final RunLimits NONE = new RunLimits(null, null, null, false, Duration.ZERO);

}
