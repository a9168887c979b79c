package io.redelay.queue.store;

import org.jspecify.annotations.Nullable;

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
 * @param checkpoint what an earlier delivery saved, a JSON value as UTF-8, or
 * {@code null} if there is none
 * @param firstAttempt the trace of the first attempt that failed and told of one, or
 * {@code null}
 * @since 0.1.0
 */
@SuppressWarnings("ArrayRecordComponent") // the bytes are handed on, never compared or
											// changed
public record ClaimedMessage(String uid, long claim, int failures, int crashes, boolean suspect, byte[] envelope,
		byte @Nullable [] checkpoint, @Nullable String firstAttempt) {

	/**
	 * Creates a message without a checkpoint, none of whose attempts told of a trace.
	 * @param uid the name of this incarnation
	 * @param claim the number of the request that claimed it
	 * @param failures how often its handling failed so far
	 * @param crashes how often a lane died with it as its suspect
	 * @param suspect whether it was in the hands of a lane that died
	 * @param envelope what was sent
	 */
	public ClaimedMessage(String uid, long claim, int failures, int crashes, boolean suspect, byte[] envelope) {
		this(uid, claim, failures, crashes, suspect, envelope, null, null);
	}

}
