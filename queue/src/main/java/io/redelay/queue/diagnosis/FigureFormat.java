package io.redelay.queue.diagnosis;

import java.time.Duration;
import java.util.List;
import java.util.Locale;

/**
 * Formats figures for people: in the texts of a diagnosis, and by the same rules as the
 * page that shows these.
 *
 * @since 0.1.0
 */
public final class FigureFormat {

	private static final int NAMED = 3;

	private static final int LONGEST_NAME = 100;

	/**
	 * Beyond that, hours no longer matter.
	 */
	private static final int MOST_DAYS = 99;

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
	 * A time in its two largest units, as {@code 1 min 51 s}.
	 * @param time the time
	 * @return the text
	 */
	public static String time(Duration time) {
		double millis = time.getSeconds() * 1e3 + time.getNano() / 1e6;
		if (millis < 999.5) {
			return trimmed(millis) + " ms";
		}
		if (millis < 9950) {
			return trimmed(millis / 1000) + " s";
		}
		long seconds = Math.round(millis / 1000);
		if (seconds < 60) {
			return seconds + " s";
		}
		if (seconds < 3600) {
			return two(seconds / 60, "min", seconds % 60, "s");
		}
		if (seconds < 86_400) {
			return two(seconds / 3600, "h", seconds % 3600 / 60, "min");
		}
		long days = seconds / 86_400;
		return two(days, "d", (days > MOST_DAYS) ? 0 : seconds % 86_400 / 3600, "h");
	}

	private static String two(long large, String largeUnit, long small, String smallUnit) {
		return trimmed((double) large) + " " + largeUnit + ((small > 0) ? " " + small + " " + smallUnit : "");
	}

	/**
	 * A rate, per minute if it is below one a second.
	 */
	static String rate(double perSecond) {
		return (perSecond >= 1 || perSecond == 0) ? trimmed(perSecond) + " a second"
				: trimmed(Math.round(perSecond * 600) / 10.0) + " a minute";
	}

	/**
	 * A number, with a digit behind the point below ten.
	 * @param number the number
	 * @return the text
	 */
	public static String trimmed(double number) {
		String text = String.format(Locale.ENGLISH, (number >= 10) ? "%,.0f" : "%.1f", number);
		return text.endsWith(".0") ? text.substring(0, text.length() - 2) : text;
	}

	static String capitalized(String text) {
		return text.isEmpty() ? text : Character.toUpperCase(text.charAt(0)) + text.substring(1);
	}

	/**
	 * A share of one, as {@code 34 %}.
	 */
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
