package io.redelay.queue.actuate;

import java.time.Duration;
import java.time.Instant;
import java.time.format.DateTimeParseException;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.Locale;
import java.util.Set;
import java.util.function.BiFunction;
import java.util.stream.Collectors;

import io.redelay.queue.limits.LoneSurrogates;
import org.jspecify.annotations.Nullable;

import org.springframework.boot.convert.DurationStyle;

/**
 * Reads the parameters of requests, which come as text, and refuses invalid ones by their
 * names.
 */
final class Parameters {

	/**
	 * How long the value of a parameter may be.
	 */
	static final int MAX_LENGTH = 1000;

	private Parameters() {
	}

	/**
	 * A number.
	 * @param value the value, or {@code null} for the one by default
	 */
	static int number(String name, @Nullable String value, int least, int most, int byDefault) {
		if (value == null) {
			return byDefault;
		}
		if (value.matches("[0-9]{1,18}")) {
			long number = Long.parseLong(value);
			if (number >= least && number <= most) {
				return (int) number;
			}
		}
		throw RequestException.badParameter(name,
				"'" + name + "' must be a number from " + least + " to " + most + ": " + ErrorView.quote(value));
	}

	/**
	 * A text of one line.
	 */
	static @Nullable String text(String name, @Nullable String value) {
		if (value == null || value.isEmpty()) {
			return null;
		}
		if (value.length() > MAX_LENGTH) {
			throw RequestException.badParameter(name, "'" + name + "' must have at most " + MAX_LENGTH
					+ " characters, and has " + value.length() + ": " + ErrorView.quote(value));
		}
		if (LoneSurrogates.firstIn(value) >= 0 || value.chars().anyMatch(Character::isISOControl)) {
			throw RequestException.badParameter(name,
					"'" + name + "' must not have control characters: " + ErrorView.quote(value));
		}
		return value;
	}

	/**
	 * A copy of something with a value, or the same without one.
	 */
	static <T, V> T with(T given, @Nullable V value, BiFunction<T, V, T> setter) {
		return (value != null) ? setter.apply(given, value) : given;
	}

	/**
	 * Whether a text can be the id or uid of a message.
	 */
	static boolean isId(String text) {
		return !text.isBlank() && text.length() <= MAX_LENGTH && LoneSurrogates.firstIn(text) < 0;
	}

	/**
	 * One of the values of an enum, in any case, with {@code -} or {@code _}.
	 */
	static <E extends Enum<E>> @Nullable E word(String name, @Nullable String value, Set<E> allowed) {
		if (value == null || value.isEmpty()) {
			return null;
		}
		for (E each : allowed) {
			if (each.name().equals(value.toUpperCase(Locale.ROOT).replace('-', '_'))) {
				return each;
			}
		}
		throw RequestException.badParameter(name, "'" + name + "' must be "
				+ allowed.stream().map(Enum::name).collect(Collectors.joining(", ")) + ": " + ErrorView.quote(value));
	}

	/**
	 * Some values of an enum, separated by commas.
	 */
	static <E extends Enum<E>> Set<E> words(String name, @Nullable String value, Set<E> allowed) {
		Set<E> words = EnumSet.copyOf(allowed);
		words.clear();
		if (value != null) {
			Arrays.stream(value.split(",", -1)).forEach((each) -> {
				E word = word(name, each.trim(), allowed);
				if (word != null) {
					words.add(word);
				}
			});
		}
		return words;
	}

	/**
	 * A point in time as in {@code 2026-11-23T04:00:00Z}.
	 */
	static @Nullable Instant instant(String name, @Nullable String value) {
		if (value == null || value.isEmpty()) {
			return null;
		}
		try {
			Instant instant = Instant.parse(value);
			if (!instant.isBefore(Instant.EPOCH) && instant.isBefore(Instant.parse("2469-01-01T00:00:00Z"))) {
				return instant;
			}
		}
		catch (DateTimeParseException ex) {
			// refused below
		}
		throw RequestException.badParameter(name,
				"'" + name + "' must be a point in time from 1970 to 2468, such as 2026-11-23T04:00:00Z: "
						+ ErrorView.quote(value));
	}

	/**
	 * A duration as in {@code 90s}, {@code 10m} or {@code PT1H}; a number is in
	 * milliseconds.
	 */
	static @Nullable Duration duration(String name, @Nullable String value) {
		if (value == null || value.isEmpty()) {
			return null;
		}
		try {
			Duration duration = DurationStyle.detectAndParse(value);
			if (!duration.isNegative() && duration.compareTo(Duration.ofDays(3650)) <= 0) {
				return duration;
			}
		}
		catch (IllegalArgumentException | ArithmeticException ex) {
			// refused below
		}
		throw RequestException.badParameter(name,
				"'" + name + "' must be 0 to 3650 days, such as 90s, 10m or PT1H: " + ErrorView.quote(value));
	}

}
