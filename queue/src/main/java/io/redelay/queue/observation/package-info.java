/**
 * Observations, metrics and traces of sending and handling, with Micrometer.
 */
@NullMarked
package io.redelay.queue.observation;

import org.jspecify.annotations.NullMarked;
