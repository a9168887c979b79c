/**
 * Takes over what others push into the inlets of queues.
 */
@NullMarked
package io.redelay.queue.inlet;

import org.jspecify.annotations.NullMarked;
