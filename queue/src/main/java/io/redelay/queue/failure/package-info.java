/**
 * Decides about messages whose handling failed: a retry or a burial, the record of the
 * failed attempt, and the reports to the log and the listeners for retries.
 */
@NullMarked
package io.redelay.queue.failure;

import org.jspecify.annotations.NullMarked;
