package io.redelay.benchmarks.choice;

import org.jspecify.annotations.Nullable;

/**
 * One round of an item.
 *
 * @param item the name of the item
 * @param number the round, from 1; those before are the warm-up
 * @param options the options
 * @param report takes the findings
 */
record Round(String item, int number, ChoiceOptions options, ChoiceReport report) {

	/**
	 * Reports a figure.
	 */
	void report(String subject, String unit, @Nullable Double base, double value, @Nullable Bound bound) {
		this.report.add(new Finding(this.item, this.number, subject, unit, base, value, bound));
	}

	/**
	 * Returns whether what is compared is measured in the other order this time, so that
	 * neither always comes first.
	 */
	boolean isReversed() {
		return this.number % 2 == 0;
	}

}
