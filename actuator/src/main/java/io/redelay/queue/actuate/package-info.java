/**
 * The endpoints of the actuator for queues and locks, and the page that shows them.
 */
@NullMarked
package io.redelay.queue.actuate;

import org.jspecify.annotations.NullMarked;
