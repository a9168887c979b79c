/**
 * Writes and reads the announcements of instances in Redis: listeners, consumers, running
 * handlers and locks.
 */
@NullMarked
package io.redelay.queue.admin.engine.instance;

import org.jspecify.annotations.NullMarked;
