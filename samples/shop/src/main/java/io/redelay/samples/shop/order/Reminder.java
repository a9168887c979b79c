package io.redelay.samples.shop.order;

import java.time.Instant;

import io.redelay.queue.MessageState;

/**
 * A reminder that is still to be mailed, or could not be.
 */
record Reminder(MessageState state, Instant dueAt) {

}
