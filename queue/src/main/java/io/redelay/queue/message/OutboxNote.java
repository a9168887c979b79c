package io.redelay.queue.message;

/**
 * An action that has yet to happen elsewhere because of an event in a queue.
 *
 * @param id its place in the outbox; notes are relayed in this order
 * @param kind the kind of action
 * @param text the action
 * @since 0.1.0
 */
@SuppressWarnings("ArrayRecordComponent") // the bytes are passed on, never compared or
											// changed
public record OutboxNote(String id, char kind, byte[] text) {

}
