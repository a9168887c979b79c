/**
 * Measures whether a claim costs more the more messages wait.
 */
@NullMarked
package io.redelay.benchmarks.growth;

import org.jspecify.annotations.NullMarked;
