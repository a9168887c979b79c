/**
 * Requests on lanes: batches, numbers, the repetition of requests that have no answer,
 * and of those that Redis has forgotten.
 */
@NullMarked
package io.redelay.queue.request;

import org.jspecify.annotations.NullMarked;
