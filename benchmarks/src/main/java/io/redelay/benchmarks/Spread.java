package io.redelay.benchmarks;

import java.util.Locale;

/**
 * Values in their order.
 *
 * @param values the values
 */
@SuppressWarnings("ArrayRecordComponent") // never compared
record Spread(double[] values) {

	String median(String format) {
		return (this.values.length > 0) ? format(format, median()) : "";
	}

	String format(String format) {
		return (this.values.length > 0) ? median(format) + " (" + format(format, this.values[0]) + "–"
				+ format(format, this.values[this.values.length - 1]) + ")" : "";
	}

	double median() {
		int middle = this.values.length / 2;
		return (this.values.length % 2 == 1) ? this.values[middle]
				: (this.values[middle - 1] + this.values[middle]) / 2;
	}

	private static String format(String format, double value) {
		return String.format(Locale.ROOT, format, value);
	}

}
