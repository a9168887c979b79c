package io.redelay.queue;

import java.time.Duration;
import java.time.Instant;

import io.redelay.queue.limits.DueTime;
import org.jspecify.annotations.Nullable;

import org.springframework.util.Assert;

/**
 * When an {@link OutboundMessage} is due.
 *
 * @param delay how long after its arrival at Redis it is due, or {@code null}
 * @param dueAt when it is due, instead of a delay, or {@code null}
 * @param spread up to how much later it is due, at random, or {@code null} for no later
 * @since 0.1.0
 */
public record MessageTiming(@Nullable Duration delay, @Nullable Instant dueAt, @Nullable Duration spread) {

	static final MessageTiming NOW = new MessageTiming(null, null, null);

	/**
	 * Validates the values.
	 */
	public MessageTiming {
		Assert.isTrue(delay == null || dueAt == null, "'delay' and 'dueAt' must not both be given");
		if (delay != null && !DueTime.isPossible(delay)) {
			throw new IllegalArgumentException("'delay' must be 0 to 3650 days: " + delay);
		}
		if (dueAt != null && (!dueAt.isAfter(Instant.EPOCH) || !DueTime.isPossible(dueAt))) {
			throw new IllegalArgumentException("'dueAt' must be after 1970 and before 2469: " + dueAt);
		}
		if (spread != null && !DueTime.isPossible(spread)) {
			throw new IllegalArgumentException("'spread' must be 0 to 3650 days: " + spread);
		}
		if (spread != null && delay != null && !DueTime.isPossible(delay.plus(spread))) {
			throw new IllegalArgumentException(
					"'delay' and 'spread' must be 3650 days together at most: " + delay + " and " + spread);
		}
		if (spread != null && dueAt != null && !DueTime.isPossible(dueAt.plus(spread))) {
			throw new IllegalArgumentException(
					"'dueAt' and 'spread' must end before 2469: " + dueAt + " and " + spread);
		}
	}

	/**
	 * Due after a delay.
	 */
	MessageTiming delay(Duration delay) {
		return new MessageTiming(delay, null, this.spread);
	}

	/**
	 * Due at a point in time.
	 */
	MessageTiming dueAt(Instant dueAt) {
		return new MessageTiming(null, dueAt, this.spread);
	}

	/**
	 * Due up to so much later.
	 */
	MessageTiming spread(Duration spread) {
		return new MessageTiming(this.delay, this.dueAt, spread);
	}

}
