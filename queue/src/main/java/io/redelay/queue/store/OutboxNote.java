package io.redelay.queue.store;

/**
 * What has yet to happen elsewhere because of something that has happened in a queue.
 *
 * @param id where it stands in the outbox; notes are relayed in this order
 * @param kind what the text is
 * @param text what is to happen
 * @since 0.1.0
 */
@SuppressWarnings("ArrayRecordComponent") // the bytes are handed on, never compared or
											// changed
public record OutboxNote(String id, char kind, byte[] text) {

}
