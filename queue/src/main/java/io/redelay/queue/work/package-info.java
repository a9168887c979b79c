/**
 * What a handler may do with the message in its hands: checkpoints, progress,
 * cancellation, idempotency, the next step.
 */
@NullMarked
package io.redelay.queue.work;

import org.jspecify.annotations.NullMarked;
