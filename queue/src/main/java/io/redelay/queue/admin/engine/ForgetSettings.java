package io.redelay.queue.admin.engine;

import java.time.Duration;
import java.util.Comparator;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;

import io.redelay.queue.limits.DueTime;
import org.jspecify.annotations.Nullable;

/**
 * How long queues must have been empty before their names are forgotten.
 *
 * @param all the time for all queues; {@code null} or zero if they are never forgotten
 * @param byQueue the times for single queues in place of that
 * @since 0.1.0
 */
public record ForgetSettings(@Nullable Duration all, Map<String, Duration> byQueue) {

	/**
	 * The shortest time for which a queue must have been empty.
	 */
	public static final Duration SHORTEST = Duration.ofSeconds(1);

	private static final Duration SHORTEST_INTERVAL = Duration.ofMillis(500);

	private static final Duration LONGEST_INTERVAL = Duration.ofMinutes(5);

	/**
	 * Copies the map.
	 */
	public ForgetSettings {
		byQueue = Map.copyOf(byQueue);
	}

	/**
	 * Returns whether a time can be set.
	 * @param duration the time
	 * @return whether it is zero, or long enough and not too long
	 */
	public static boolean isPossible(Duration duration) {
		return duration.isZero() || (duration.compareTo(SHORTEST) >= 0 && DueTime.isPossible(duration));
	}

	/**
	 * Returns how long a queue must have been empty.
	 * @return the time, or {@code null} if it is never forgotten
	 */
	@Nullable Duration of(String queue) {
		Duration own = this.byQueue.getOrDefault(queue, this.all);
		return isSet(own) ? own : null;
	}

	private static boolean isSet(@Nullable Duration duration) {
		return duration != null && duration.compareTo(Duration.ZERO) > 0;
	}

	/**
	 * Returns whether any queue can be forgotten.
	 * @return {@code true} if so
	 */
	public boolean isEnabled() {
		return isSet(this.all) || this.byQueue.values().stream().anyMatch(ForgetSettings::isSet);
	}

	/**
	 * How often queues are looked at: four times in the shortest of the times.
	 */
	Duration interval() {
		Duration interval = Stream.concat(Stream.ofNullable(this.all), this.byQueue.values().stream())
			.filter(ForgetSettings::isSet)
			.map((each) -> each.dividedBy(4))
			.filter((each) -> each.compareTo(LONGEST_INTERVAL) < 0)
			.min(Comparator.naturalOrder())
			.orElse(LONGEST_INTERVAL);
		return (interval.compareTo(SHORTEST_INTERVAL) < 0) ? SHORTEST_INTERVAL : interval;
	}

	/**
	 * A digest of these settings: instances with the same one take turns.
	 */
	String digest() {
		return Integer.toHexString((this.all + " " + new TreeMap<>(this.byQueue)).hashCode());
	}

}
