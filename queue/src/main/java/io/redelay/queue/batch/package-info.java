/**
 * What the handler of a batch says of its messages: which are done, and which are to be
 * retried or are dead.
 */
@NullMarked
package io.redelay.queue.batch;

import org.jspecify.annotations.NullMarked;
