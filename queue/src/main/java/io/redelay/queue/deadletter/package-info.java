/**
 * Manages dead messages: trims them, forwards them to another queue, and redrives them by
 * a rule.
 */
@NullMarked
package io.redelay.queue.deadletter;

import org.jspecify.annotations.NullMarked;
