package io.redelay.benchmarks.chart;

import java.util.List;

/**
 * Plots below each other, of which all have the same axis from left to right.
 *
 * @param title what it shows
 * @param note what is to be known of it; empty for nothing
 * @param axis what is from left to right
 * @param across its range
 * @param plots the plots, from above
 * @param height how high each is
 */
record LineChart(String title, String note, String axis, Axis across, List<Plot> plots, int height) {

	private static final int TOP = 40;

	private static final int NOTE = 20;

	private static final int GAP = 20;

	private static final int BOTTOM = 44;

	String svg() {
		StringBuilder svg = new StringBuilder();
		int top = TOP;
		if (!this.note.isEmpty()) {
			svg.append(Svg.text("<text x=\"8\" y=\"44\" font-size=\"12\" fill=\"#444\">%s</text>%n",
					Svg.escape(this.note)));
			top += NOTE;
		}
		for (Plot plot : this.plots) {
			svg.append(plot.svg(top, this.height, this.across));
			top += this.height + GAP;
		}
		int bottom = top - GAP;
		for (double mark : this.across.marks()) {
			double x = Plot.LEFT + this.across.position(mark) * (Svg.WIDTH - Plot.LEFT - Plot.RIGHT);
			svg.append(Svg.text("""
					<path d="M%.1f %dv5" stroke="#333"/>
					<text x="%.1f" y="%d" text-anchor="middle" font-size="12">%s</text>
					""", x, bottom, x, bottom + 19, Plot.number(mark)));
		}
		svg.append(Svg.text("<text x=\"%d\" y=\"%d\" text-anchor=\"middle\" fill=\"#444\">%s</text>%n",
				(Plot.LEFT + Svg.WIDTH - Plot.RIGHT) / 2, bottom + 37, Svg.escape(this.axis)));
		return Svg.document(this.title, bottom + BOTTOM, svg.toString());
	}

}
