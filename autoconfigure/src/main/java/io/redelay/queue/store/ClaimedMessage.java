package io.redelay.queue.store;

/**
 * A message that a lane holds.
 *
 * @param uid the name of this incarnation
 * @param claim the number of the request that claimed it
 * @param failures how often its handling failed so far
 * @param crashes how often a lane died with it as its suspect
 * @param suspect whether it was in the hands of a lane that died, and so is handled as
 * the only one such
 * @param envelope what was sent, a JSON object as UTF-8
 * @since 0.1.0
 */
@SuppressWarnings("ArrayRecordComponent") // the bytes are handed on, never compared or
											// changed
public record ClaimedMessage(String uid, long claim, int failures, int crashes, boolean suspect, byte[] envelope) {

}
