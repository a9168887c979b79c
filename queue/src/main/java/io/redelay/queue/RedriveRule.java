package io.redelay.queue;

import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZonedDateTime;
import java.util.EnumSet;
import java.util.Set;

import org.jspecify.annotations.Nullable;

import org.springframework.scheduling.support.CronExpression;
import org.springframework.util.Assert;

/**
 * When the dead messages of a queue are redriven by themselves, and how often.
 *
 * @param delay how long after its death a message is redriven; {@code null} if a cron
 * expression says when
 * @param cron a cron expression of six fields, or a macro: all are redriven at its times
 * that died before; {@code null} if there is a delay
 * @param zone the zone of the cron expression, {@code null} if there is a delay
 * @param rounds in how many rounds a message is redriven, from 1; after the last one it
 * stays dead
 * @param perSecond how many messages of the queue are redriven a second, more than 0
 * @param reasons for which reasons of its death a message is redriven
 * @since 0.1.0
 */
public record RedriveRule(@Nullable Duration delay, @Nullable String cron, @Nullable String zone, int rounds,
		double perSecond, Set<DeathReason> reasons) {

	/**
	 * How many rounds there are at most.
	 */
	public static final int MOST_ROUNDS = 1000;

	/**
	 * The causes of death that another attempt can fix: the default.
	 */
	public static final Set<DeathReason> DEFAULT_REASONS = Set.of(DeathReason.FAILED, DeathReason.CRASHED,
			DeathReason.DEADLINE, DeathReason.EXPIRED);

	/**
	 * Checks the values.
	 */
	public RedriveRule {
		Assert.isTrue((delay != null) != (cron != null), "A rule has a delay or a cron expression");
		Assert.isTrue((cron != null) == (zone != null), "A zone is that of a cron expression");
		Assert.isTrue(rounds >= 1 && rounds <= MOST_ROUNDS,
				() -> "'rounds' must be 1 to " + MOST_ROUNDS + ": " + rounds);
		Assert.isTrue(perSecond > 0, () -> "'perSecond' must be more than 0: " + perSecond);
		Assert.isTrue(!reasons.isEmpty(), "'reasons' must not be empty");
		reasons = Set.copyOf(EnumSet.copyOf(reasons));
	}

	/**
	 * Returns the next time of the rule.
	 * @param after after which time: the death of a message
	 * @return when a message is redriven that died then; {@code null} if the cron
	 * expression has no further time
	 */
	public @Nullable Instant next(Instant after) {
		if (this.delay != null) {
			return after.plus(this.delay);
		}
		ZonedDateTime next = CronExpression.parse(String.valueOf(this.cron))
			.next(after.atZone(ZoneId.of(String.valueOf(this.zone))));
		return (next != null) ? next.toInstant() : null;
	}

	/**
	 * Returns the rule in words.
	 * @return when, how many rounds and at what rate
	 */
	@Override
	public String toString() {
		String when = (this.delay != null) ? this.delay + " after a death" : "at '" + this.cron + "' in " + this.zone;
		return when + ", in " + this.rounds + " round(s), " + this.perSecond + " a second";
	}

}
