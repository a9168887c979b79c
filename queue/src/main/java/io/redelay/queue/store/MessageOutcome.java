package io.redelay.queue.store;

import io.redelay.queue.MessageState;

/**
 * What became of a message.
 *
 * @param state where it is
 * @param told why it is dead, as JSON, or what its handler returned, as
 * {@link KeptResult} reads it; empty if neither is known
 * @since 0.1.0
 */
@SuppressWarnings("ArrayRecordComponent") // the bytes are handed on, never compared or
											// changed
public record MessageOutcome(MessageState state, byte[] told) {
}
