/**
 * Compares what a message with an option costs with what a plain one does.
 */
@NullMarked
package io.redelay.benchmarks.option;

import org.jspecify.annotations.NullMarked;
