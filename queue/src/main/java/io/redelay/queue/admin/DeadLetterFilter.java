package io.redelay.queue.admin;

import java.time.Instant;

import io.redelay.queue.DeathReason;
import io.redelay.queue.FailedAttempt;
import org.jspecify.annotations.Nullable;

import org.springframework.util.Assert;

/**
 * Chooses among dead messages, built up like
 * {@code DeadLetterFilter.all().exception("java.io.IOException").limit(100)}. Each method
 * gives a new filter and leaves this one as it is.
 *
 * @param reason why they are dead, or any
 * @param exception the name of the failure's type, or any
 * @param text a text that the message of the failure contains, or any
 * @param diedAfter the earliest time of death, or any
 * @param diedBefore the time that they died before, or any
 * @param limit how many at most: the last ones to die are shown, and the first ones to
 * die are redriven
 * @since 0.1.0
 */
public record DeadLetterFilter(@Nullable DeathReason reason, @Nullable String exception, @Nullable String text,
		@Nullable Instant diedAfter, @Nullable Instant diedBefore, int limit) {

	/**
	 * Checks the limit.
	 */
	public DeadLetterFilter {
		Assert.isTrue(limit >= 1, () -> "'limit' must be at least 1: " + limit);
	}

	/**
	 * Chooses all.
	 * @return the filter
	 */
	public static DeadLetterFilter all() {
		return new DeadLetterFilter(null, null, null, null, null, Integer.MAX_VALUE);
	}

	/**
	 * Chooses those that are dead for a reason.
	 * @param reason the reason
	 * @return the filter
	 */
	public DeadLetterFilter reason(DeathReason reason) {
		return new DeadLetterFilter(reason, this.exception, this.text, this.diedAfter, this.diedBefore, this.limit);
	}

	/**
	 * Chooses those that died of a failure of a type.
	 * @param exception the name of the type, as in {@link Class#getName()}
	 * @return the filter
	 */
	public DeadLetterFilter exception(String exception) {
		return new DeadLetterFilter(this.reason, exception, this.text, this.diedAfter, this.diedBefore, this.limit);
	}

	/**
	 * Chooses those whose failure has a text in its message.
	 * @param text what {@link FailedAttempt#message()} contains: the words of the
	 * failure, and how often the message had failed
	 * @return the filter
	 */
	public DeadLetterFilter text(String text) {
		return new DeadLetterFilter(this.reason, this.exception, text, this.diedAfter, this.diedBefore, this.limit);
	}

	/**
	 * Chooses those that died at a time or later, by the clock of Redis.
	 * @param diedAfter the time
	 * @return the filter
	 */
	public DeadLetterFilter diedAfter(Instant diedAfter) {
		return new DeadLetterFilter(this.reason, this.exception, this.text, diedAfter, this.diedBefore, this.limit);
	}

	/**
	 * Chooses those that died before a time, by the clock of Redis.
	 * @param diedBefore the time
	 * @return the filter
	 */
	public DeadLetterFilter diedBefore(Instant diedBefore) {
		return new DeadLetterFilter(this.reason, this.exception, this.text, this.diedAfter, diedBefore, this.limit);
	}

	/**
	 * Chooses at most a number of them: the last ones to die where they are shown, and
	 * the first ones to die where they are redriven.
	 * @param limit how many at most, from 1
	 * @return the filter
	 */
	public DeadLetterFilter limit(int limit) {
		return new DeadLetterFilter(this.reason, this.exception, this.text, this.diedAfter, this.diedBefore, limit);
	}

}
