/**
 * What the engine tells of the work that queues have: how many messages, and how long it
 * took.
 */
@NullMarked
package io.redelay.queue.measure;

import org.jspecify.annotations.NullMarked;
