package io.redelay.queue.message;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import io.redelay.queue.limits.RateLimit;
import org.jspecify.annotations.Nullable;

/**
 * The text of the limits of a queue for the scripts: words of a name, an equals sign and
 * a value.
 *
 * @since 0.1.0
 */
public final class LimitWords {

	/**
	 * How many of the queue are claimed in a window.
	 */
	public static final String RATE = "q";

	/**
	 * How many of the queue are held.
	 */
	public static final String IN_FLIGHT = "m";

	/**
	 * How many of each fairness key are claimed in a window.
	 */
	public static final String KEY_RATE = "kq";

	/**
	 * How many of each fairness key are held.
	 */
	public static final String KEY_IN_FLIGHT = "km";

	/**
	 * How long the line of an ordering key may be.
	 */
	public static final String LINE = "l";

	/**
	 * In place of a value: the limit is removed.
	 */
	public static final String NONE = "-";

	// A later version may write more behind these.
	private static final Pattern NUMBER = Pattern.compile("\\d{1,9}(?!\\d)");

	private static final Pattern RATE_WORD = Pattern.compile("(\\d{1,9})/(\\d{1,15})(?!\\d)(b?)");

	private static final Pattern CHANGE = Pattern.compile("(\\d{1,15}) (.*)", Pattern.DOTALL);

	private static final int MOST = 1_000_000;

	private LimitWords() {
	}

	/**
	 * A rate as scripts read it.
	 * @param rate the rate
	 * @return count, window in milliseconds, and whether all may come at once
	 */
	public static String rate(RateLimit rate) {
		return rate.count() + "/" + rate.period().toMillis() + (rate.bursting() ? "b" : "");
	}

	/**
	 * A limit as scripts read it.
	 * @param name its name
	 * @param value its value
	 * @return the word
	 */
	public static String word(String name, Object value) {
		return name + "=" + value;
	}

	/**
	 * Returns the words for the limits that are set.
	 * @param limits the limits
	 * @return a word for each that is set
	 */
	public static String of(StoredLimits limits) {
		List<String> words = of(limits.claims());
		add(words, LINE, limits.lineLength());
		return String.join(" ", words);
	}

	/**
	 * Returns the words for the limits of claims that are set, but for those that queues
	 * share.
	 * @param limits the limits
	 * @return a word for each that is set
	 */
	public static List<String> of(ClaimLimits limits) {
		List<String> words = new ArrayList<>();
		add(words, RATE, limits.rate());
		add(words, IN_FLIGHT, limits.maxInFlight());
		add(words, KEY_RATE, limits.keyRate());
		add(words, KEY_IN_FLIGHT, limits.keyMaxInFlight());
		return words;
	}

	/**
	 * Adds the word of a limit if it is set.
	 * @param words the words
	 * @param name its name
	 * @param value its value, or {@code null} if it is not set
	 */
	public static void add(List<String> words, String name, @Nullable Object value) {
		if (value != null) {
			words.add(word(name, (value instanceof RateLimit rate) ? rate(rate) : value));
		}
	}

	/**
	 * Reads the limits that a queue has. What a later version writes behind a value, and
	 * a value of another form, is left aside, as scripts do.
	 * @param claims the limits of claims, as words
	 * @param line how long the line of an ordering key may be, or empty
	 * @param changed when and by which instance they were changed last, with a blank
	 * between, or empty if none is set
	 * @return the limits
	 */
	public static StoredLimits read(String claims, String line, String changed) {
		if (changed.isEmpty()) {
			return StoredLimits.NONE;
		}
		Map<String, String> words = new HashMap<>();
		for (String word : claims.split(" ")) {
			int end = word.indexOf('=');
			if (end > 0) {
				words.put(word.substring(0, end), word.substring(end + 1));
			}
		}
		Matcher change = CHANGE.matcher(changed);
		boolean known = change.matches();
		return new StoredLimits(
				new ClaimLimits(readRate(words.get(RATE)), number(words.get(IN_FLIGHT)), readRate(words.get(KEY_RATE)),
						number(words.get(KEY_IN_FLIGHT)), null),
				number(line), Instant.ofEpochMilli(known ? Long.parseLong(change.group(1)) : 0),
				known ? change.group(2) : changed);
	}

	private static @Nullable Integer number(@Nullable String word) {
		Matcher number = NUMBER.matcher((word != null) ? word : "");
		int value = number.lookingAt() ? Integer.parseInt(number.group()) : 0;
		return (value >= 1 && value <= MOST) ? value : null;
	}

	private static @Nullable RateLimit readRate(@Nullable String word) {
		Matcher rate = RATE_WORD.matcher((word != null) ? word : "");
		try {
			return rate.lookingAt() ? new RateLimit(Integer.parseInt(rate.group(1)),
					Duration.ofMillis(Long.parseLong(rate.group(2))), !rate.group(3).isEmpty()) : null;
		}
		catch (IllegalArgumentException ex) {
			return null; // of a version that allows more
		}
	}

}
