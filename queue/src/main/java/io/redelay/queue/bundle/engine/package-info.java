/**
 * Bundles of messages across queues: reports how their messages ended to the queue that
 * keeps the bundle, and checks bundles in which nothing moves.
 */
@NullMarked
package io.redelay.queue.bundle.engine;

import org.jspecify.annotations.NullMarked;
