package io.redelay.benchmarks.chart;

import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;

/**
 * Lines over a common axis, from 0 upwards.
 *
 * @param title what the values are
 * @param lines the lines
 */
record Plot(String title, List<Line> lines) {

	static final int LEFT = 70;

	static final int RIGHT = 150;

	private static final int PARTS = 4;

	private static final int TITLE = 28;

	private static final int LINE_OF_TEXT = 15;

	/**
	 * Draws.
	 * @param top where it begins
	 * @param height how high it is
	 * @param across the axis of what is from left to right
	 */
	String svg(int top, int height, Axis across) {
		double largest = this.lines.stream()
			.flatMap((line) -> Stream.concat(line.points().stream(), line.apart().stream()))
			.mapToDouble((point) -> point.y().largest())
			.max()
			.orElse(1);
		Frame frame = new Frame(top + TITLE, height - TITLE, across, Axis.fromZero(largest, PARTS));
		StringBuilder svg = new StringBuilder(
				Svg.text("<text x=\"8\" y=\"%d\" fill=\"#444\">%s</text>%n", top + 12, Svg.escape(this.title)));
		svg.append(grid(frame));
		this.lines.forEach((line) -> svg.append(line(line, frame)));
		return svg.append(names(frame)).toString();
	}

	private static String grid(Frame frame) {
		StringBuilder svg = new StringBuilder();
		for (double mark : frame.up.marks()) {
			double y = frame.y(mark);
			svg.append(Svg.text("""
					<path d="M%d %.1fH%d" stroke="%s"/>
					<text x="%d" y="%.1f" text-anchor="end" font-size="12">%s</text>
					""", LEFT, y, Svg.WIDTH - RIGHT, (mark == 0) ? "#333" : "#ddd", LEFT - 8, y + 4, number(mark)));
		}
		return svg.toString();
	}

	private static String line(Line line, Frame frame) {
		StringBuilder svg = new StringBuilder();
		StringBuilder path = new StringBuilder();
		for (Line.Point point : line.points()) {
			double x = frame.x(point.x());
			path.append(Svg.text("%s%.1f %.1f", path.isEmpty() ? "M" : "L", x, frame.y(point.y().median())));
			svg.append(point(point, frame, line.colour(), line.colour()));
		}
		line.apart().forEach((point) -> svg.append(point(point, frame, line.colour(), "#fff")));
		return Svg.text("<path d=\"%s\" fill=\"none\" stroke=\"%s\" stroke-width=\"2\"/>%n", path, line.colour()) + svg;
	}

	private static String point(Line.Point point, Frame frame, String colour, String fill) {
		double x = frame.x(point.x());
		String range = (point.y().largest() > point.y().smallest())
				? Svg.text("<path d=\"M%.1f %.1fV%.1f\" stroke=\"%s\"/>%n", x, frame.y(point.y().smallest()),
						frame.y(point.y().largest()), colour)
				: "";
		return range + Svg.text("<circle cx=\"%.1f\" cy=\"%.1f\" r=\"3\" fill=\"%s\" stroke=\"%s\"/>%n", x,
				frame.y(point.y().median()), fill, colour);
	}

	/**
	 * The names at the ends of the lines, one below the other where the ends are close.
	 */
	private String names(Frame frame) {
		StringBuilder svg = new StringBuilder();
		double free = 0;
		for (Line line : this.lines.stream().sorted(Comparator.comparingDouble(Plot::last).reversed()).toList()) {
			double y = Math.max(free, frame.y(last(line)) + 4);
			free = y + LINE_OF_TEXT;
			svg.append(Svg.text("<text x=\"%d\" y=\"%.1f\" fill=\"%s\">%s %s</text>%n", Svg.WIDTH - RIGHT + 8, y,
					line.colour(), Svg.escape(line.name()), number(last(line))));
		}
		return svg.toString();
	}

	private static double last(Line line) {
		return line.points().get(line.points().size() - 1).y().median();
	}

	static String number(double value) {
		String text = Svg.text((value < 100) ? "%,.1f" : "%,.0f", value);
		return text.endsWith(".0") ? text.substring(0, text.length() - 2) : text;
	}

	/**
	 * Where the lines are.
	 */
	private record Frame(int top, int height, Axis across, Axis up) {

		double x(double value) {
			return LEFT + this.across.position(value) * (Svg.WIDTH - LEFT - RIGHT);
		}

		double y(double value) {
			return this.top + (1 - this.up.position(value)) * this.height;
		}

	}

}
