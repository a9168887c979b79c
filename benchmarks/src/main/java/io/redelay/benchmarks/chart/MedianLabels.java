package io.redelay.benchmarks.chart;

import java.util.List;

import io.redelay.benchmarks.Spread;
import org.jfree.chart.labels.CategoryItemLabelGenerator;
import org.jfree.data.category.CategoryDataset;
import org.jspecify.annotations.Nullable;

/**
 * The median, which stands behind the range of its values.
 *
 * @param bars the values of each bar
 */
record MedianLabels(List<Spread> bars) implements CategoryItemLabelGenerator {

	@Override
	public String generateLabel(CategoryDataset dataset, int row, int column) {
		double median = this.bars.get(column).median();
		return Adoc.text((median < 100) ? "%,.2f" : "%,.0f", median);
	}

	@Override
	public @Nullable String generateRowLabel(CategoryDataset dataset, int row) {
		return null;
	}

	@Override
	public @Nullable String generateColumnLabel(CategoryDataset dataset, int column) {
		return null;
	}

}
