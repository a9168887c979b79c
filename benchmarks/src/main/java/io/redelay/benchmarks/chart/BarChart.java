package io.redelay.benchmarks.chart;

import java.awt.Paint;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

import io.redelay.benchmarks.Spread;
import org.jfree.chart.axis.CategoryAxis;
import org.jfree.chart.axis.NumberAxis;
import org.jfree.chart.labels.ItemLabelAnchor;
import org.jfree.chart.labels.ItemLabelPosition;
import org.jfree.chart.plot.CategoryPlot;
import org.jfree.chart.plot.DatasetRenderingOrder;
import org.jfree.chart.plot.PlotOrientation;
import org.jfree.chart.renderer.category.BarRenderer;
import org.jfree.chart.renderer.category.IntervalBarRenderer;
import org.jfree.chart.renderer.category.StandardBarPainter;
import org.jfree.chart.ui.TextAnchor;
import org.jfree.data.category.CategoryDataset;
import org.jfree.data.category.DefaultCategoryDataset;
import org.jfree.data.category.DefaultIntervalCategoryDataset;

/**
 * Horizontal bars: the median, with a line from the smallest to the largest value.
 *
 * @param title what it shows
 * @param bars the values by names, from above
 */
record BarChart(String title, Map<String, Spread> bars) {

	private static final int ROW = 26;

	private static final int FRAME = 60;

	private static final int LEAST_ROWS = 2;

	/**
	 * Room for the number behind the longest bar.
	 */
	private static final double MARGIN = 0.16;

	private static final double RANGE_WIDTH = 1.2;

	static BarChart of(String title, Map<String, List<Double>> values) {
		Map<String, Spread> bars = new LinkedHashMap<>();
		values.forEach((name, all) -> bars.put(name, Spread.of(all)));
		Map<String, Spread> sorted = new LinkedHashMap<>();
		bars.entrySet()
			.stream()
			.sorted(Comparator.comparingDouble((bar) -> -bar.getValue().median()))
			.forEach((bar) -> sorted.put(bar.getKey(), bar.getValue()));
		return new BarChart(title, sorted);
	}

	String svg() {
		int rows = Math.max(this.bars.size(), LEAST_ROWS);
		CategoryPlot plot = new CategoryPlot(medians(), names(), values(), new Bars());
		plot.setDataset(1, ranges());
		plot.setRenderer(1, rangeRenderer(RANGE_WIDTH / (rows * ROW)));
		plot.setDatasetRenderingOrder(DatasetRenderingOrder.FORWARD);
		plot.setOrientation(PlotOrientation.HORIZONTAL);
		plot.setRangeGridlinesVisible(false);
		return SvgChart.draw(this.title, "", plot, false, FRAME + rows * ROW);
	}

	private CategoryDataset medians() {
		DefaultCategoryDataset medians = new DefaultCategoryDataset();
		this.bars.forEach((name, spread) -> medians.addValue(spread.median(), "median", name));
		return medians;
	}

	private CategoryDataset ranges() {
		double[][] smallest = { this.bars.values().stream().mapToDouble(Spread::smallest).toArray() };
		double[][] largest = { this.bars.values().stream().mapToDouble(Spread::largest).toArray() };
		DefaultIntervalCategoryDataset ranges = new DefaultIntervalCategoryDataset(smallest, largest);
		ranges.setCategoryKeys(this.bars.keySet().toArray(String[]::new));
		return ranges;
	}

	private static CategoryAxis names() {
		CategoryAxis axis = new CategoryAxis();
		axis.setTickLabelFont(SvgChart.TEXT);
		axis.setTickLabelPaint(Colour.INK.light());
		axis.setAxisLineVisible(false);
		axis.setTickMarksVisible(false);
		axis.setCategoryMargin(0.3);
		return axis;
	}

	private static NumberAxis values() {
		NumberAxis axis = new NumberAxis();
		axis.setVisible(false);
		axis.setUpperMargin(MARGIN);
		return axis;
	}

	private IntervalBarRenderer rangeRenderer(double width) {
		IntervalBarRenderer renderer = new IntervalBarRenderer();
		renderer.setBarPainter(new StandardBarPainter());
		renderer.setShadowVisible(false);
		renderer.setMaximumBarWidth(width);
		renderer.setDefaultPaint(Colour.INK.light());
		renderer.setAutoPopulateSeriesPaint(false);
		renderer.setDefaultItemLabelGenerator(new MedianLabels(List.copyOf(this.bars.values())));
		renderer.setDefaultItemLabelsVisible(true);
		renderer.setDefaultItemLabelFont(SvgChart.TEXT);
		renderer.setDefaultItemLabelPaint(Colour.INK.light());
		renderer.setDefaultPositiveItemLabelPosition(
				new ItemLabelPosition(ItemLabelAnchor.OUTSIDE3, TextAnchor.CENTER_LEFT));
		return renderer;
	}

	/**
	 * Bars whose colours say whose they are.
	 */
	private static final class Bars extends BarRenderer {

		Bars() {
			setBarPainter(new StandardBarPainter());
			setShadowVisible(false);
		}

		@Override
		public Paint getItemPaint(int row, int column) {
			return switch (String.valueOf(getPlot().getDataset().getColumnKey(column))) {
				case "redelay" -> Colour.SUBJECT.light();
				case "limit", "limit-asleep", "limit-lettuce" -> Colour.LIMIT.light();
				default -> Colour.OTHER.light();
			};
		}

	}

}
