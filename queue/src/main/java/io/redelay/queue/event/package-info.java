/**
 * What users import to observe messages, queues and listeners: the events.
 */
@NullMarked
package io.redelay.queue.event;

import org.jspecify.annotations.NullMarked;
