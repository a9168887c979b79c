/**
 * Events of messages: from the reports of the scripts to the listeners of the instance
 * and to the feed of all instances.
 */
@NullMarked
package io.redelay.queue.event.engine;

import org.jspecify.annotations.NullMarked;
