/**
 * Keeps the groups of topics registered that this instance consumes from, and removes
 * those that nobody consumes from any more.
 */
@NullMarked
package io.redelay.queue.topic;

import org.jspecify.annotations.NullMarked;
