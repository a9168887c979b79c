/**
 * Finds, searches, reads, changes and buries the messages of queues.
 */
@NullMarked
package io.redelay.queue.admin.engine.message;

import org.jspecify.annotations.NullMarked;
