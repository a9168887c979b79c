/**
 * Keeps the groups of topics registered that this instance consumes from, and removes
 * groups that have no consumer any more.
 */
@NullMarked
package io.redelay.queue.topic;

import org.jspecify.annotations.NullMarked;
