/**
 * Messages that a queue is sent again and again, by a cron expression or at an interval.
 */
@NullMarked
package io.redelay.queue.recurring;

import org.jspecify.annotations.NullMarked;
