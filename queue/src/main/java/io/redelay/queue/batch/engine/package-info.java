/**
 * Batches given to a handler: its arguments, its acknowledgments and what becomes of the
 * messages of a batch.
 */
@NullMarked
package io.redelay.queue.batch.engine;

import org.jspecify.annotations.NullMarked;
