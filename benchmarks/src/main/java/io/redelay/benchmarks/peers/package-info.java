/**
 * Compares Redelay with what its users would use instead.
 */
@NullMarked
package io.redelay.benchmarks.peers;

import org.jspecify.annotations.NullMarked;
