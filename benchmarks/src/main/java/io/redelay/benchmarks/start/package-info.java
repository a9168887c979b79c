/**
 * Compares what the start of an application costs with and without Redelay.
 */
@NullMarked
package io.redelay.benchmarks.start;

import org.jspecify.annotations.NullMarked;
