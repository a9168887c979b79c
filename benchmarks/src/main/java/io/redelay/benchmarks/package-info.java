/**
 * Benchmarks of the queue and the lock.
 */
@NullMarked
package io.redelay.benchmarks;

import org.jspecify.annotations.NullMarked;
