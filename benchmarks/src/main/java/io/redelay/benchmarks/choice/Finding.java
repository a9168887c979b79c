package io.redelay.benchmarks.choice;

import org.jspecify.annotations.Nullable;

/**
 * A figure of one round, and the one of the same round with which it is compared.
 *
 * @param item the name of the item
 * @param round the round, from 1
 * @param subject what was measured
 * @param unit its unit
 * @param base the figure that it is compared with, or {@code null} if there is none
 * @param value the figure
 * @param bound what it must be, or {@code null} if it is only reported
 */
record Finding(String item, int round, String subject, String unit, @Nullable Double base, double value,
		@Nullable Bound bound) {

}
