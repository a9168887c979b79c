package io.redelay.queue.recurring;

import java.time.Instant;
import java.util.List;

import org.jspecify.annotations.Nullable;

/**
 * What is known of a recurring message.
 *
 * @param queue the queue
 * @param name its name
 * @param schedule its cron expression with the zone, or its interval, as a person would
 * write it
 * @param missed what becomes of missed ticks
 * @param overlap what becomes of ticks while a run has not ended
 * @param declaredByApi whether {@link RecurringMessages#declare} declared it, so that it
 * stays until it is removed
 * @param declaredBy the instance whose declaration holds
 * @param paused whether it is paused
 * @param nextRuns when it runs next, up to five times; none while it is paused
 * @param lastTick the tick that ran last, or {@code null} if none did
 * @param running the ticks whose runs have not ended
 * @param limits when it runs first and last, how often, and how its runs are spread
 * @param runs how many runs have begun that count for {@link RunLimits#maxRuns}
 * @param runsLeft how many are left, or {@code null} if any number may run
 * @param ended whether it has ended by its limits: it has no tick any more
 * @param state the state that its last acknowledged run saved, as JSON, or {@code null}
 * if there is none; see {@link io.redelay.queue.work.RecurringState}
 * @since 0.1.0
 */
public record RecurringInfo(String queue, String name, String schedule, MissedTicks missed, OverlappingRuns overlap,
		boolean declaredByApi, String declaredBy, boolean paused, List<Instant> nextRuns, @Nullable Instant lastTick,
		List<Instant> running, RunLimits limits, long runs, @Nullable Long runsLeft, boolean ended,
		@Nullable String state) {

}
