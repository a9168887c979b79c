/**
 * Lets a handler succeed once for each idempotency key: which run has a key, for how long
 * it stays done, and how duplicates are reported.
 */
@NullMarked
package io.redelay.queue.listener.idempotency;

import org.jspecify.annotations.NullMarked;
