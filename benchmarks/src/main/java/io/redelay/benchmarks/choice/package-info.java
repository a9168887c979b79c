/**
 * Measures what decides which message comes when: several queues of a listener, keys,
 * limits, delays and partitions.
 */
@NullMarked
package io.redelay.benchmarks.choice;

import org.jspecify.annotations.NullMarked;
