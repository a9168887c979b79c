/**
 * The rules that find why a queue is behind: figures in, findings out, without Redis.
 */
@NullMarked
package io.redelay.queue.diagnosis;

import org.jspecify.annotations.NullMarked;
