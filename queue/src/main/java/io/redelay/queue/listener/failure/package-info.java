/**
 * What becomes of a message whose handling failed: a retry or a burial, what is recorded
 * of the failed attempt, and what the log and the listeners for retries are told.
 */
@NullMarked
package io.redelay.queue.listener.failure;

import org.jspecify.annotations.NullMarked;
