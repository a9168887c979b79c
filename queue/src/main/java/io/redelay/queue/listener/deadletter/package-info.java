/**
 * Looks after dead messages: trims them, hands them on to another queue, and redrives
 * them by a rule.
 */
@NullMarked
package io.redelay.queue.listener.deadletter;

import org.jspecify.annotations.NullMarked;
