/**
 * Events of messages: from the reports of the store to the listeners of the instance and
 * to the feed of all instances.
 */
@NullMarked
package io.redelay.queue.event;

import org.jspecify.annotations.NullMarked;
