/**
 * Draws what was measured, and puts it into tables.
 */
@NullMarked
package io.redelay.benchmarks.chart;

import org.jspecify.annotations.NullMarked;
