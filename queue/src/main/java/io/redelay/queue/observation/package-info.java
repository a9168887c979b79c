/**
 * What Micrometer's Observation API and metrics get of sending and handling.
 */
@NullMarked
package io.redelay.queue.observation;

import org.jspecify.annotations.NullMarked;
