/**
 * Carries out what recurring messages promise: times, declarations and ticks.
 */
@NullMarked
package io.redelay.queue.recurring.engine;

import org.jspecify.annotations.NullMarked;
