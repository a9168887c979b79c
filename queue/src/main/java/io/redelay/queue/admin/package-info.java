/**
 * Looking at queues and acting on their messages: find, cancel, reschedule, redrive,
 * pause, count, browse, purge.
 */
@NullMarked
package io.redelay.queue.admin;

import org.jspecify.annotations.NullMarked;
