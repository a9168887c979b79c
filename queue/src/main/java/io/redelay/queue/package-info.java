/**
 * The types that a user of the delay queue imports: sending with
 * {@link io.redelay.queue.QueueOperations} and listening with
 * {@link io.redelay.queue.QueueListener}.
 */
@NullMarked
package io.redelay.queue;

import org.jspecify.annotations.NullMarked;
