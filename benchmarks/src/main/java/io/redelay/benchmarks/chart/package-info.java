/**
 * Draws what was measured.
 */
@NullMarked
package io.redelay.benchmarks.chart;

import org.jspecify.annotations.NullMarked;
