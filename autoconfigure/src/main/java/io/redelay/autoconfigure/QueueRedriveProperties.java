package io.redelay.autoconfigure;

import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.util.Objects;
import java.util.Set;
import java.util.regex.Pattern;

import io.redelay.queue.DeathReason;
import io.redelay.queue.RedriveRule;
import io.redelay.queue.config.DeadLetterDefaults;
import io.redelay.queue.limits.DueTime;
import io.redelay.queue.limits.RateLimit;
import org.jspecify.annotations.Nullable;

import org.springframework.scheduling.support.CronExpression;
import org.springframework.util.Assert;

/**
 * When dead messages are redriven automatically: not at all, unless there is a delay or a
 * cron expression.
 *
 * @param delay How long after its death a message is redriven. Applied by listeners, like
 * the properties that follow.
 * @param cron When all dead messages are redriven, instead of a delay: a cron expression
 * of six fields, or a macro such as &#64;daily. "-" redrives none.
 * @param zone The zone of the cron expression. By default that of the JVM.
 * @param rounds How many times a message is redriven before it stays dead, 3 by default.
 * @param rate How many messages of a queue are redriven in a window, like 10/1s.
 * @param reasons Reasons of death for which a message is redriven. By default FAILED,
 * CRASHED, DEADLINE or EXPIRED.
 * @since 0.1.0
 */
public record QueueRedriveProperties(@Nullable Duration delay, @Nullable String cron, @Nullable String zone,
		@Nullable Integer rounds, @Nullable String rate, @Nullable Set<DeathReason> reasons) {

	private static final Pattern PLAIN = Pattern.compile("[A-Za-z0-9-]+");

	private static final String NOTHING = "-";

	private static final int DEFAULT_ROUNDS = 3;

	private static final double DEFAULT_PER_SECOND = 10;

	boolean isNothing() {
		return this.delay == null && this.cron == null && this.zone == null && this.rounds == null && this.rate == null
				&& this.reasons == null;
	}

	/**
	 * The rule of a queue.
	 * @param queue the name of the queue, of which these properties are
	 * @param ofAll the properties of all queues
	 * @return the rule, or {@code null} if none is set for the queue
	 */
	DeadLetterDefaults.@Nullable Redrive toRedrive(String queue, QueueRedriveProperties ofAll) {
		String place = "redelay.queue.queues" + (PLAIN.matcher(queue).matches() ? "." + queue : "[" + queue + "]")
				+ ".dead-letters.redrive";
		if (isNothing()) {
			return null;
		}
		boolean hasOwnTimes = this.delay != null || this.cron != null;
		QueueRedriveProperties all = new QueueRedriveProperties(hasOwnTimes ? this.delay : ofAll.delay,
				hasOwnTimes ? this.cron : ofAll.cron, (this.zone != null || hasOwnTimes) ? this.zone : ofAll.zone,
				(this.rounds != null) ? this.rounds : ofAll.rounds, (this.rate != null) ? this.rate : ofAll.rate,
				(this.reasons != null) ? this.reasons : ofAll.reasons);
		RedriveRule rule = all.toRule(place);
		if (all.delay == null && all.cron == null) {
			throw new IllegalArgumentException("'" + place + "' says nothing of when dead messages are redriven: add '"
					+ place + ".delay' or '" + place + ".cron'");
		}
		return new DeadLetterDefaults.Redrive(rule);
	}

	/**
	 * The rule that these properties describe.
	 * @param place their group
	 * @return the rule, or {@code null} if nothing is redriven
	 */
	@Nullable RedriveRule toRule(String place) {
		if (this.delay != null && this.cron != null) {
			throw new IllegalArgumentException("'" + place + ".delay' and '" + place + ".cron' are both given: "
					+ this.delay + " and '" + this.cron + "'. Leave out one of them");
		}
		int most = Objects.requireNonNullElse(this.rounds, DEFAULT_ROUNDS);
		if (most < 1 || most > RedriveRule.MOST_ROUNDS) {
			throw new IllegalArgumentException("'" + place + ".rounds' must be 1 to " + RedriveRule.MOST_ROUNDS + ": "
					+ most + ". To redrive nothing, set '" + place + ".cron' to '-'");
		}
		if (this.delay != null && (this.delay.toMillis() < 1 || !DueTime.isPossible(this.delay))) {
			throw new IllegalArgumentException(
					"'" + place + ".delay' must be 1ms to " + DueTime.LONGEST_DELAY.toDays() + "d: " + this.delay);
		}
		if (this.reasons != null && this.reasons.isEmpty()) {
			throw new IllegalArgumentException("'" + place + ".reasons' must not be empty: leave it out for "
					+ RedriveRule.DEFAULT_REASONS.stream().map(DeathReason::name).sorted().toList());
		}
		if (this.zone != null && (this.cron == null || NOTHING.equals(this.cron))) {
			throw new IllegalArgumentException("'" + place
					+ ".zone' is that of a cron expression, and there is none: leave out '" + this.zone + "'");
		}
		double perSecond = perSecond(place);
		if ((this.delay == null && this.cron == null) || NOTHING.equals(this.cron)) {
			return null;
		}
		return new RedriveRule(this.delay, this.cron, (this.cron != null) ? zone(place, this.cron) : null, most,
				perSecond, Objects.requireNonNullElse(this.reasons, RedriveRule.DEFAULT_REASONS));
	}

	private double perSecond(String place) {
		if (this.rate == null) {
			return DEFAULT_PER_SECOND;
		}
		try {
			RateLimit limit = RateLimit.parse(this.rate);
			Assert.isTrue(!limit.bursting(), "it is smooth by itself, so leave out 'bursting'");
			return limit.count() * 1000d / limit.period().toMillis();
		}
		catch (IllegalArgumentException ex) {
			throw new IllegalArgumentException(
					"'" + place + ".rate' must be a rate like 10/1s: '" + this.rate + "'. " + ex.getMessage());
		}
	}

	/**
	 * Checks a cron expression and its zone.
	 * @return the id of the zone
	 */
	private String zone(String place, String expression) {
		ZoneId id;
		try {
			id = (this.zone != null) ? ZoneId.of(this.zone) : ZoneId.systemDefault();
		}
		catch (DateTimeException ex) {
			throw new IllegalArgumentException("'" + place + ".zone' is no zone: '" + this.zone
					+ "'. Name one such as Europe/Berlin, or none for that of the JVM");
		}
		CronExpression times;
		try {
			times = CronExpression.parse(expression);
		}
		catch (IllegalArgumentException ex) {
			throw new IllegalArgumentException("'" + place + ".cron' is no cron expression: '" + expression
					+ "'. Name one of six fields, from the second to the day of the week, such as '0 0 2 * * *'. "
					+ ex.getMessage());
		}
		if (times.next(Instant.now().atZone(id)) == null) {
			throw new IllegalArgumentException("'" + place + ".cron' has no time: '" + expression
					+ "'. Look at its day and month: there may be no such date");
		}
		return id.getId();
	}

}
