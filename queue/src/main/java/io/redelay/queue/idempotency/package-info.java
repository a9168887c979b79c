/**
 * Lets a handler succeed once for each idempotency key: which run has a key, for how long
 * it stays done, and how duplicates are reported.
 */
@NullMarked
package io.redelay.queue.idempotency;

import org.jspecify.annotations.NullMarked;
