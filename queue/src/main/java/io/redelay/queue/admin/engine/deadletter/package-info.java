/**
 * Reads, counts and redrives the dead messages of queues.
 */
@NullMarked
package io.redelay.queue.admin.engine.deadletter;

import org.jspecify.annotations.NullMarked;
