/**
 * Measures what messages of the far future take, and what it costs to move them.
 */
@NullMarked
package io.redelay.benchmarks.far;

import org.jspecify.annotations.NullMarked;
