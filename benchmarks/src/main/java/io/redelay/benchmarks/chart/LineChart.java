package io.redelay.benchmarks.chart;

import java.awt.BasicStroke;
import java.awt.geom.Ellipse2D;
import java.text.DecimalFormat;
import java.text.DecimalFormatSymbols;
import java.text.NumberFormat;
import java.util.Locale;
import java.util.Map;

import io.redelay.benchmarks.Spread;
import org.jfree.chart.axis.NumberAxis;
import org.jfree.chart.axis.ValueAxis;
import org.jfree.chart.plot.XYPlot;
import org.jfree.chart.renderer.xy.XYErrorRenderer;
import org.jfree.data.xy.YIntervalSeries;
import org.jfree.data.xy.YIntervalSeriesCollection;

/**
 * Makes plots of lines: medians, each with a vertical line from the smallest to the
 * largest value.
 */
final class LineChart {

	private static final Ellipse2D DOT = new Ellipse2D.Double(-3, -3, 6, 6);

	private final YIntervalSeriesCollection lines = new YIntervalSeriesCollection();

	private final XYErrorRenderer renderer = new XYErrorRenderer();

	LineChart() {
		this.renderer.setUseFillPaint(true);
		this.renderer.setDrawXError(false);
		this.renderer.setDrawYError(false);
		this.renderer.setDrawOutlines(false);
		this.renderer.setCapLength(0);
	}

	/**
	 * Adds a line.
	 * @param name its name
	 * @param colour its colour
	 * @param points the values by where they are from left to right
	 */
	LineChart line(String name, Colour colour, Map<Double, Spread> points) {
		return add(name, colour, colour, points, true);
	}

	/**
	 * Adds points that are drawn hollow, and not connected.
	 * @param name their name
	 * @param colour their colour
	 * @param points the values by where they are from left to right
	 */
	LineChart apart(String name, Colour colour, Map<Double, Spread> points) {
		this.renderer.setDrawOutlines(true);
		return add(name, colour, Colour.PAPER, points, false);
	}

	private LineChart add(String name, Colour colour, Colour fill, Map<Double, Spread> points, boolean connected) {
		YIntervalSeries series = new YIntervalSeries(name);
		points.forEach((x, y) -> series.add(x, y.median(), y.smallest(), y.largest()));
		if (points.values().stream().anyMatch((spread) -> spread.largest() > spread.smallest())) {
			this.renderer.setDrawYError(true);
		}
		int index = this.lines.getSeriesCount();
		this.lines.addSeries(series);
		this.renderer.setSeriesPaint(index, colour.light());
		this.renderer.setSeriesFillPaint(index, fill.light());
		this.renderer.setSeriesShape(index, DOT);
		this.renderer.setSeriesStroke(index, new BasicStroke(1.5f));
		this.renderer.setSeriesLinesVisible(index, connected);
		return this;
	}

	/**
	 * Makes a plot from 0 upwards.
	 * @param title what the values are
	 * @param across what is from left to right
	 */
	XYPlot plot(String title, ValueAxis across) {
		NumberAxis up = new NumberAxis(title);
		up.setAutoRangeIncludesZero(true);
		up.setNumberFormatOverride(numbers());
		style(up);
		XYPlot plot = new XYPlot(this.lines, style(across), up, this.renderer);
		plot.setDomainGridlinesVisible(false);
		plot.setRangeGridlinePaint(Colour.GRID.light());
		plot.setRangeGridlineStroke(new BasicStroke(1));
		plot.setBackgroundPaint(null);
		plot.setOutlineVisible(false);
		return plot;
	}

	static ValueAxis style(ValueAxis axis) {
		axis.setTickLabelFont(SvgChart.TEXT);
		axis.setLabelFont(SvgChart.TEXT);
		axis.setTickLabelPaint(Colour.INK.light());
		axis.setLabelPaint(Colour.NOTE.light());
		axis.setAxisLinePaint(Colour.INK.light());
		axis.setTickMarkPaint(Colour.INK.light());
		return axis;
	}

	static NumberFormat numbers() {
		return new DecimalFormat("#,##0.##", DecimalFormatSymbols.getInstance(Locale.ROOT));
	}

}
