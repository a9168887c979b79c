package io.redelay.benchmarks.chart;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;

import io.redelay.benchmarks.Spread;

/**
 * Horizontal bars: the median, with a line from the smallest to the largest value.
 *
 * @param title what it shows
 * @param bars the bars, from above
 */
record BarChart(String title, List<Bar> bars) {

	private static final Comparator<Bar> MEDIAN = Comparator.comparingDouble((bar) -> bar.spread().median());

	private static final int NAMES = 130;

	private static final int NUMBERS = 90;

	private static final int ROW = 26;

	private static final int TOP = 44;

	static BarChart of(String title, Map<String, List<Double>> values) {
		List<Bar> bars = new ArrayList<>();
		values.forEach((name, all) -> bars.add(new Bar(name, Spread.of(all))));
		return new BarChart(title, bars.stream().sorted(MEDIAN.reversed()).toList());
	}

	String svg() {
		StringBuilder svg = new StringBuilder();
		int height = TOP + this.bars.size() * ROW + 8;
		double most = this.bars.stream().mapToDouble((bar) -> bar.spread().largest()).max().orElse(1);
		double scale = (Svg.WIDTH - NAMES - NUMBERS) / ((most > 0) ? most : 1);
		for (int i = 0; i < this.bars.size(); i++) {
			svg.append(bar(this.bars.get(i), TOP + i * ROW, scale));
		}
		return Svg.document(this.title, height, svg.toString());
	}

	private static String bar(Bar bar, int y, double scale) {
		double end = NAMES + bar.spread().median() * scale;
		double smallest = NAMES + bar.spread().smallest() * scale;
		double largest = NAMES + bar.spread().largest() * scale;
		int middle = y + 9;
		return Svg.text("""
				<text x="%d" y="%d" text-anchor="end">%s</text>
				<rect x="%d" y="%d" width="%.1f" height="18" fill="%s"/>
				<path d="M%.1f %dH%.1f" stroke="#333"/>
				<text x="%.1f" y="%d">%s</text>
				""", NAMES - 8, y + 14, Svg.escape(bar.name()), NAMES, y, end - NAMES, colour(bar.name()), smallest,
				middle, largest, Math.max(end, largest) + 6, y + 14, number(bar.spread().median()));
	}

	private static String colour(String name) {
		return switch (name) {
			case "redelay" -> Svg.RED;
			case "limit", "limit-asleep", "limit-lettuce" -> "#999999";
			default -> Svg.BLUE;
		};
	}

	private static String number(double value) {
		return Svg.text((value < 100) ? "%,.2f" : "%,.0f", value);
	}

	/**
	 * One bar.
	 *
	 * @param name whose it is
	 * @param spread its values
	 */
	record Bar(String name, Spread spread) {

	}

}
