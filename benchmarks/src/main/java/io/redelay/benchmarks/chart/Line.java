package io.redelay.benchmarks.chart;

import java.util.List;

import io.redelay.benchmarks.Spread;

/**
 * A line of a plot.
 *
 * @param name what stands at its end, beside its last value; empty for nothing
 * @param colour its colour
 * @param points its points, from the left
 * @param apart points that belong to it and are not on it, drawn hollow
 */
record Line(String name, String colour, List<Point> points, List<Point> apart) {

	/**
	 * A point.
	 *
	 * @param x where it is
	 * @param y the values there, the median of which is drawn
	 */
	record Point(double x, Spread y) {

	}

}
