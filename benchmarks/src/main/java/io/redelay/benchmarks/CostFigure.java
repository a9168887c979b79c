package io.redelay.benchmarks;

import java.util.Locale;
import java.util.function.ToDoubleFunction;

/**
 * One of the figures of a cost.
 *
 * @param title what it is, with its unit
 * @param format how it is written
 * @param value reads it
 * @param <C> the type of the cost
 * @since 0.1.0
 */
public record CostFigure<C>(String title, String format, ToDoubleFunction<C> value) {

	/**
	 * Returns the figure of a cost.
	 * @param cost the cost
	 * @return the figure
	 */
	public double of(C cost) {
		return this.value.applyAsDouble(cost);
	}

	/**
	 * Returns a figure as text.
	 * @param figure the figure
	 * @return the text
	 */
	public String text(double figure) {
		return String.format(Locale.ROOT, this.format, figure);
	}

}
