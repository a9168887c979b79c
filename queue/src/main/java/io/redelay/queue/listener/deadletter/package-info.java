/**
 * Looks after dead messages: trims them and hands them on to another queue.
 */
@NullMarked
package io.redelay.queue.listener.deadletter;

import org.jspecify.annotations.NullMarked;
