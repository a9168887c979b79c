package io.redelay.queue.diagnosis;

import java.time.Duration;
import java.util.List;
import java.util.Locale;

/**
 * Formats figures for people.
 */
final class FigureFormat {

	private static final int NAMED = 3;

	private static final int LONGEST_NAME = 100;

	private FigureFormat() {
	}

	/**
	 * A number of things: {@code 1 message}, {@code 1,200 messages}.
	 */
	static String count(long count, String thing) {
		return String.format(Locale.ENGLISH, "%,d %s", count,
				(count == 1) ? thing : thing.endsWith("y") && !thing.endsWith("ey")
						? thing.substring(0, thing.length() - 1) + "ies" : thing + "s");
	}

	/**
	 * A number of things, and the verb of them.
	 */
	static String count(long count, String thing, String one, String many) {
		return count(count, thing) + " " + verb(count, one, many);
	}

	/**
	 * The verb of a number of things.
	 */
	static String verb(long count, String one, String many) {
		return (count == 1) ? one : many;
	}

	/**
	 * A time in two units at most.
	 */
	static String time(Duration time) {
		long millis = time.toMillis();
		if (millis < 1000) {
			return millis + " ms";
		}
		if (millis < 10_000) {
			return trimmed(millis / 1000.0) + " s";
		}
		long seconds = (millis + 500) / 1000;
		if (seconds < 120) {
			return seconds + " s";
		}
		if (seconds < 7200) {
			return two(seconds / 60, "min", seconds % 60, "s");
		}
		if (seconds < 172_800) {
			return two(seconds / 3600, "h", seconds % 3600 / 60, "min");
		}
		return two(seconds / 86_400, "days", seconds % 86_400 / 3600, "h");
	}

	private static String two(long large, String largeUnit, long small, String smallUnit) {
		return large + " " + largeUnit + ((small > 0) ? " " + small + " " + smallUnit : "");
	}

	/**
	 * A rate, per minute if it is below one in ten seconds.
	 */
	static String rate(double perSecond) {
		if (perSecond > 0 && perSecond < 0.1) {
			return trimmed(perSecond * 60) + " a minute";
		}
		return trimmed(perSecond) + " a second";
	}

	/**
	 * A factor or a small number.
	 */
	static String trimmed(double number) {
		String text = String.format(Locale.ENGLISH, (number >= 10) ? "%,.0f" : "%.1f", number);
		return text.endsWith(".0") ? text.substring(0, text.length() - 2) : text;
	}

	static String capitalized(String text) {
		return text.isEmpty() ? text : Character.toUpperCase(text.charAt(0)) + text.substring(1);
	}

	static String percent(double share) {
		return Math.round(share * 100) + " %";
	}

	private static String shortened(String name) {
		return (name.length() > LONGEST_NAME) ? name.substring(0, LONGEST_NAME - 1) + "…" : name;
	}

	/**
	 * The first ones of a list, and how many more there are.
	 */
	static String list(List<String> names) {
		String named = String.join(", ", names.stream().limit(NAMED).map(FigureFormat::shortened).toList());
		return (names.size() > NAMED) ? named + " and " + (names.size() - NAMED) + " more" : named;
	}

}
