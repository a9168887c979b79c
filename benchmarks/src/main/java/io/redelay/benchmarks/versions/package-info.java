/**
 * Compares what a message costs in this version of Redelay and in an earlier one.
 */
@NullMarked
package io.redelay.benchmarks.versions;

import org.jspecify.annotations.NullMarked;
