/**
 * Draws what was measured.
 */
@NullMarked
package io.redelay.benchmarks.peers.chart;

import org.jspecify.annotations.NullMarked;
