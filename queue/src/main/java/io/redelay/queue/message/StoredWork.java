package io.redelay.queue.message;

import org.jspecify.annotations.Nullable;

/**
 * The progress, log and checkpoint of a message, as the store has them.
 *
 * @param progress its progress, as {@link WorkCodec} reads it, if there is one
 * @param log its log, as {@link WorkCodec} reads it, if there is one
 * @param checkpoint its checkpoint, if there is one
 * @since 0.1.0
 */
@SuppressWarnings("ArrayRecordComponent") // the bytes are passed on, never compared or
											// changed
public record StoredWork(byte @Nullable [] progress, byte @Nullable [] log, byte @Nullable [] checkpoint) {

}
