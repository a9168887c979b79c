package io.redelay.queue.store;

import io.redelay.queue.MessageState;

/**
 * The present state of a message, and its result or cause of death.
 *
 * @param state its state
 * @param told the reason why it is dead, as JSON, or the result of its handler, as
 * {@link KeptResult} reads it; empty if neither is known
 * @since 0.1.0
 */
@SuppressWarnings("ArrayRecordComponent") // the bytes are passed on, never compared or
											// changed
public record MessageOutcome(MessageState state, byte[] told) {
}
