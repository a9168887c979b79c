package io.redelay.benchmarks;

import java.util.Collection;
import java.util.Locale;

/**
 * Values in their order.
 *
 * @param values the values
 * @since 0.1.0
 */
@SuppressWarnings("ArrayRecordComponent") // never compared
public record Spread(double[] values) {

	/**
	 * Puts values in their order.
	 * @param values the values
	 * @return the spread
	 */
	public static Spread of(Collection<Double> values) {
		return new Spread(values.stream().mapToDouble(Double::doubleValue).sorted().toArray());
	}

	/**
	 * Writes the median.
	 * @param format how to write a value
	 * @return the text, which is empty if there are no values
	 */
	public String median(String format) {
		return (this.values.length > 0) ? format(format, median()) : "";
	}

	/**
	 * Writes the median, with the smallest and the largest value in brackets if there are
	 * several.
	 * @param format how to write a value
	 * @return the text, which is empty if there are no values
	 */
	public String format(String format) {
		return (this.values.length > 1) ? median(format) + " (" + format(format, this.values[0]) + "–"
				+ format(format, this.values[this.values.length - 1]) + ")" : median(format);
	}

	/**
	 * Returns the value in the middle.
	 * @return the median
	 */
	public double median() {
		int middle = this.values.length / 2;
		return (this.values.length % 2 == 1) ? this.values[middle]
				: (this.values[middle - 1] + this.values[middle]) / 2;
	}

	/**
	 * Returns the first value.
	 * @return the smallest
	 */
	public double smallest() {
		return this.values[0];
	}

	/**
	 * Returns the last value.
	 * @return the largest
	 */
	public double largest() {
		return this.values[this.values.length - 1];
	}

	private static String format(String format, double value) {
		return String.format(Locale.ROOT, format, value);
	}

}
