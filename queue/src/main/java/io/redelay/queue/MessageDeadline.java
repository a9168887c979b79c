package io.redelay.queue;

import java.time.Duration;
import java.time.Instant;

import io.redelay.queue.limits.DueTime;
import org.jspecify.annotations.Nullable;

import org.springframework.util.Assert;

/**
 * Until when an {@link OutboundMessage} is handled, over all of its attempts. Either a
 * time from its arrival at Redis or a point in time, both by the clock of Redis.
 *
 * @param after how long after its arrival, or {@code null}
 * @param at when, instead of a duration, or {@code null}
 * @param action what becomes of the message then
 * @since 0.1.0
 */
public record MessageDeadline(@Nullable Duration after, @Nullable Instant at, ExpiryAction action) {

	private static final Duration SHORTEST = Duration.ofMillis(1);

	/**
	 * Validates the values.
	 */
	public MessageDeadline {
		Assert.isTrue((after == null) != (at == null), "'deadline' must be a duration or a point in time");
		Assert.isTrue(after == null || (after.compareTo(SHORTEST) >= 0 && DueTime.isPossible(after)),
				() -> "'deadline' must be 1 ms to 3650 days: " + after);
		Assert.isTrue(at == null || (at.isAfter(Instant.EPOCH) && DueTime.isPossible(at)),
				() -> "'deadline' must be after 1970 and before 2469: " + at);
		Assert.notNull(action, "'action' must not be null");
	}

	/**
	 * Returns when the deadline is.
	 * @param sentAt when the message arrived at Redis
	 * @return the point in time
	 */
	public Instant of(Instant sentAt) {
		if (this.at != null) {
			return this.at;
		}
		Assert.state(this.after != null, "A deadline is a duration or a point in time");
		return sentAt.plus(this.after);
	}

	/**
	 * Refuses a message that is due after its deadline, as far as that is known without
	 * the clock of Redis. The store refuses the rest.
	 * @param timing when the message is due
	 * @param waitTime how long it waits for others with the same key, or {@code null}
	 */
	void check(MessageTiming timing, @Nullable Duration waitTime) {
		Duration spread = (timing.spread() != null) ? timing.spread() : Duration.ZERO;
		Duration delay = (waitTime != null) ? waitTime : timing.delay();
		if (this.after != null && timing.dueAt() == null) {
			Duration latest = ((delay != null) ? delay : Duration.ZERO).plus(spread);
			Assert.isTrue(this.after.compareTo(latest) > 0,
					() -> "'deadline' must be after the message is due: the deadline is " + this.after
							+ " after its sending, and it is due " + latest + " after that"
							+ (spread.isZero() ? "" : " at the latest, by its spread")
							+ "; give it a later deadline, or let it be due earlier");
		}
		if (this.at != null && timing.dueAt() != null) {
			Instant latest = timing.dueAt().plus(spread);
			Assert.isTrue(this.at.isAfter(latest),
					() -> "'deadline' must be after the message is due: the deadline is " + this.at + ", and it is due "
							+ latest + (spread.isZero() ? "" : " at the latest, by its spread")
							+ "; give it a later deadline, or let it be due earlier");
		}
	}

}
