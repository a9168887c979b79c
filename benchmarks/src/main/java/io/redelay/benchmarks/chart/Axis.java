package io.redelay.benchmarks.chart;

import java.util.ArrayList;
import java.util.List;

/**
 * A range of values and the marks in it.
 *
 * @param least the value at its beginning
 * @param most the value at its end
 * @param logarithmic whether each decade is of the same length
 * @param marks the values that are marked
 */
record Axis(double least, double most, boolean logarithmic, List<Double> marks) {

	/**
	 * An axis from 0 on.
	 * @param largest the largest value
	 * @param parts how many parts there are at most
	 */
	static Axis fromZero(double largest, int parts) {
		double step = step(((largest > 0) ? largest : 1) / parts);
		List<Double> marks = new ArrayList<>();
		for (int i = 0; marks.isEmpty() || marks.get(marks.size() - 1) < largest; i++) {
			marks.add(i * step);
		}
		return new Axis(0, marks.get(marks.size() - 1), false, marks);
	}

	/**
	 * An axis from 0 to a value.
	 * @param last the value
	 * @param parts how many parts there are at most
	 */
	static Axis upTo(double last, int parts) {
		Axis whole = fromZero(last, parts);
		return new Axis(0, last, false, whole.marks.stream().filter((mark) -> mark <= last).toList());
	}

	/**
	 * An axis of decades, somewhat longer than its values at both ends.
	 */
	static Axis logarithmic(double smallest, double largest) {
		List<Double> marks = new ArrayList<>();
		for (double mark = Math.pow(10, Math.ceil(Math.log10(smallest))); mark <= largest; mark *= 10) {
			marks.add(mark);
		}
		return new Axis(smallest / 1.5, largest * 1.5, true, marks);
	}

	/**
	 * The smallest of 1, 2, 5, 10, 20, 50, … and of their tenths and hundredths that is
	 * not below a value.
	 */
	private static double step(double least) {
		double decade = Math.pow(10, Math.floor(Math.log10(least)));
		for (double factor : new double[] { 1, 2, 5 }) {
			if (factor * decade >= least) {
				return factor * decade;
			}
		}
		return 10 * decade;
	}

	/**
	 * Where a value is, from 0 to 1.
	 */
	double position(double value) {
		return this.logarithmic ? Math.log(value / this.least) / Math.log(this.most / this.least)
				: (value - this.least) / (this.most - this.least);
	}

}
