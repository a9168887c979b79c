/**
 * How many partitions queues have: what is configured here, and what Redis knows of it.
 */
@NullMarked
package io.redelay.queue.partition;

import org.jspecify.annotations.NullMarked;
