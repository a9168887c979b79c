/**
 * Measurements by the engine of the work of queues: how many messages, and how long it
 * took.
 */
@NullMarked
package io.redelay.queue.measure;

import org.jspecify.annotations.NullMarked;
