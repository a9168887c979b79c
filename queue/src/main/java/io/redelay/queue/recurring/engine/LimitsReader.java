package io.redelay.queue.recurring.engine;

import java.time.Duration;
import java.time.Instant;

import io.redelay.queue.limits.DueTime;
import io.redelay.queue.recurring.RecurringDeclaration;
import io.redelay.queue.recurring.RunLimits;
import org.jspecify.annotations.Nullable;

/**
 * Checks when a recurring message is to run first and last, how often, and how its runs
 * are spread.
 */
final class LimitsReader {

	/**
	 * For how many ticks of a cron expression it is checked that the jitter is shorter
	 * than the time between them.
	 */
	private static final int TICKS_COMPARED = 1000;

	StoredLimits read(RecurringDeclaration declaration, String place) {
		RunLimits limits = declaration.limits();
		checkTime(limits.from(), "from", place);
		checkTime(limits.until(), "until", place);
		DeclarationReader.check(
				limits.from() == null || limits.until() == null || !limits.until().isBefore(limits.from()), place,
				"it never runs: it ends at " + limits.until() + ", before it begins at " + limits.from(),
				"Name an 'until' that is not before 'from'");
		Integer maxRuns = limits.maxRuns();
		DeclarationReader.check(maxRuns == null || maxRuns >= 1, place, "it runs " + maxRuns + " times in all",
				"Name a number of at least 1 in 'maxRuns', or leave it out");
		DeclarationReader.check(!limits.runAtDeclaration() || limits.from() == null, place,
				"it is to run at its declaration, and not before " + limits.from(),
				"Leave out 'runAtDeclaration' or 'from'");
		Duration jitter = limits.jitter();
		DeclarationReader.check(DueTime.isPossible(jitter), place, "its jitter is " + jitter,
				"Name a time that is shorter than that between two ticks");
		long jitterMillis = jitter.toMillis();
		return new StoredLimits(millis(limits.from()), millis(limits.until()), maxRuns, limits.runAtDeclaration(),
				jitterMillis, (jitterMillis > 0) ? declaration.queue() + "/" + declaration.name() : null);
	}

	private static void checkTime(@Nullable Instant time, String attribute, String place) {
		DeclarationReader.check(time == null || (time.isAfter(Instant.EPOCH) && DueTime.isPossible(time)), place,
				"its '" + attribute + "' is " + time, "Name a time after 1970 and before 2469");
	}

	private static @Nullable Long millis(@Nullable Instant time) {
		return (time != null) ? time.toEpochMilli() : null;
	}

	/**
	 * Checks the limits against the schedule.
	 */
	void check(StoredDeclaration stored, String place) {
		TickSchedule schedule = stored.plainSchedule();
		Long from = stored.limits().from();
		Long until = stored.limits().until();
		if (from != null && until != null) {
			Instant first = Instant.ofEpochMilli(from);
			DeclarationReader.check(
					stored.schedule(null).next(first.minusMillis(1), first) != null, place, "it never ticks: '"
							+ schedule + "' has no tick from " + first + " until " + Instant.ofEpochMilli(until),
					"Name a later 'until', or an earlier 'from'");
		}
		checkJitter(schedule, Duration.ofMillis(stored.limits().jitterMillis()), place);
	}

	private static void checkJitter(TickSchedule schedule, Duration jitter, String place) {
		if (jitter.isZero()) {
			return;
		}
		Instant tick = Instant.now();
		Instant following = schedule.next(tick, tick);
		for (int i = 0; following != null && i < TICKS_COMPARED; i++) {
			tick = following;
			following = schedule.next(tick, tick);
			DeclarationReader.check(following == null || Duration.between(tick, following).compareTo(jitter) > 0, place,
					"its jitter of " + jitter + " is not shorter than the time between its ticks at " + tick + " and "
							+ following,
					"Name a shorter jitter");
		}
	}

}
