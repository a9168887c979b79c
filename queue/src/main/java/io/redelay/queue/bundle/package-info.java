/**
 * Bundles of messages between the queues: how their messages end is told to where they
 * are kept, and those in which nothing moves are looked after.
 */
@NullMarked
package io.redelay.queue.bundle;

import org.jspecify.annotations.NullMarked;
