/**
 * Takes over the messages that other programs push into the inlets of queues.
 */
@NullMarked
package io.redelay.queue.inlet;

import org.jspecify.annotations.NullMarked;
