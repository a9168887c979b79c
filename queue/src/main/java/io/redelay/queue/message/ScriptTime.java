package io.redelay.queue.message;

import java.time.Duration;
import java.time.Instant;

import org.jspecify.annotations.Nullable;

/**
 * Writes times as the scripts read them.
 *
 * @since 0.1.0
 */
public final class ScriptTime {

	/**
	 * Some 30,000 years: longer times are cut to it, as the numbers of Redis and Lua
	 * count milliseconds little further.
	 */
	private static final Duration LONGEST = Duration.ofSeconds(1_000_000_000_000L);

	private ScriptTime() {
	}

	/**
	 * Returns the text of a due time. Parts of a millisecond are rounded up: never early.
	 * @param delay how long from now, by the clock of Redis, or {@code null}
	 * @param dueAt a time, which goes before the delay, or {@code null}
	 * @return {@code @} and a time, {@code +} and a delay, or empty for now
	 */
	public static String when(@Nullable Duration delay, @Nullable Instant dueAt) {
		if (dueAt != null) {
			return "@" + millis(Duration.between(Instant.EPOCH, dueAt));
		}
		return (delay == null || delay.isZero() || delay.isNegative()) ? "" : "+" + millis(delay);
	}

	/**
	 * A length of time. Parts of a millisecond are rounded up.
	 * @param duration how long
	 * @return milliseconds, none for a negative one
	 */
	public static String millis(Duration duration) {
		if (duration.compareTo(LONGEST) >= 0) {
			return Long.toString(LONGEST.toMillis());
		}
		return (duration.isZero() || duration.isNegative()) ? "0"
				: Long.toString(duration.plusNanos(999_999).toMillis());
	}

}
