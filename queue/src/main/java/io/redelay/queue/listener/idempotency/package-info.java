/**
 * Lets a handler succeed once for each idempotency key: who runs a key, for how long it
 * stays done, and what a duplicate is told.
 */
@NullMarked
package io.redelay.queue.listener.idempotency;

import org.jspecify.annotations.NullMarked;
