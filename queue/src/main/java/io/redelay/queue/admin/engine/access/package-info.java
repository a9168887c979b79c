/**
 * The base of the methods of {@link io.redelay.queue.admin.QueueAdmin}: calls of the
 * store that wait for the answer, commands, and which queues and partitions there are.
 */
@NullMarked
package io.redelay.queue.admin.engine.access;

import org.jspecify.annotations.NullMarked;
