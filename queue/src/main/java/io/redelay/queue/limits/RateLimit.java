package io.redelay.queue.limits;

import java.time.Duration;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import org.springframework.format.annotation.DurationFormat;
import org.springframework.format.datetime.standard.DurationFormatterUtils;

/**
 * How many messages may be claimed in any window of a length.
 *
 * @param count how many, 1 to 1,000,000
 * @param period how long the window is, 1 ms to 366 days
 * @param bursting whether all of them may come at once; otherwise they are spread evenly
 * over the window
 * @since 0.1.0
 */
public record RateLimit(int count, Duration period, boolean bursting) {

	/**
	 * What the text of a rate looks like, for error messages.
	 */
	public static final String FORM = "a rate like 100/1s, or 100/1s bursting";

	private static final int MOST = 1_000_000;

	private static final List<DurationFormat.Unit> UNITS = List.of(DurationFormat.Unit.DAYS, DurationFormat.Unit.HOURS,
			DurationFormat.Unit.MINUTES, DurationFormat.Unit.SECONDS);

	private static final Duration LONGEST = Duration.ofDays(366);

	private static final Pattern TEXT = Pattern.compile("(\\d{1,9})\\s*/\\s*([^\\s]+)(?:\\s+(smooth|bursting))?");

	/**
	 * Checks the values.
	 */
	public RateLimit {
		if (count < 1 || count > MOST) {
			throw new IllegalArgumentException("a rate must be of 1 to " + MOST + " messages: " + count);
		}
		if (period.compareTo(Duration.ofMillis(1)) < 0 || period.compareTo(LONGEST) > 0) {
			throw new IllegalArgumentException(
					"the window of a rate must be 1 ms to " + LONGEST.toDays() + " days: " + period);
		}
	}

	/**
	 * Reads a rate.
	 * @param text a number of messages, a slash and a duration like {@code 1s} or
	 * {@code PT1M}, and perhaps {@code smooth} (the default) or {@code bursting}
	 * @return the rate
	 * @throws IllegalArgumentException if it is none; the message says why
	 */
	public static RateLimit parse(String text) {
		Matcher parts = TEXT.matcher(text.strip());
		if (!parts.matches()) {
			throw new IllegalArgumentException("'" + text + "' is not " + FORM);
		}
		Duration period;
		try {
			period = DurationFormatterUtils.detectAndParse(parts.group(2));
		}
		catch (IllegalArgumentException ex) {
			throw new IllegalArgumentException("'" + text + "' is not " + FORM + ": '" + parts.group(2)
					+ "' is not a duration like 500ms, 1s, 5m or PT1M", ex);
		}
		try {
			return new RateLimit(Integer.parseInt(parts.group(1)), period, "bursting".equals(parts.group(3)));
		}
		catch (IllegalArgumentException ex) {
			throw new IllegalArgumentException("'" + text + "' cannot hold: " + ex.getMessage(), ex);
		}
	}

	/**
	 * Returns the text that {@link #parse} reads, with the window in the largest unit of
	 * which it is a whole number.
	 */
	@Override
	public String toString() {
		return this.count + "/" + window() + (this.bursting ? " bursting" : "");
	}

	private String window() {
		long millis = this.period.toMillis();
		for (DurationFormat.Unit unit : UNITS) {
			long size = unit.asChronoUnit().getDuration().toMillis();
			if (millis % size == 0) {
				return millis / size + unit.asSuffix();
			}
		}
		return millis + DurationFormat.Unit.MILLIS.asSuffix();
	}

}
