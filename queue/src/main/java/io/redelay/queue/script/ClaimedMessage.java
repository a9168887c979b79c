package io.redelay.queue.script;

import org.jspecify.annotations.Nullable;

/**
 * A message that a lane holds.
 *
 * @param uid the name of this incarnation
 * @param claim the number of the request that claimed it
 * @param failures how often its handling failed so far
 * @param crashes how often a lane died with it as its suspect
 * @param suspect whether it is a suspect: a lane that died held it, so no other suspect
 * is handled meanwhile
 * @param envelope the envelope, a JSON object as UTF-8
 * @param checkpoint the checkpoint of an earlier delivery, a JSON value as UTF-8, or
 * {@code null} if there is none
 * @param firstAttempt the trace of the first failed attempt that had one, or {@code null}
 * @since 0.1.0
 */
@SuppressWarnings("ArrayRecordComponent") // the bytes are passed on, never compared or
											// changed
public record ClaimedMessage(String uid, long claim, int failures, int crashes, boolean suspect, byte[] envelope,
		byte @Nullable [] checkpoint, @Nullable String firstAttempt) {

	/**
	 * Creates a message without a checkpoint and without the trace of an attempt.
	 * @param uid the name of this incarnation
	 * @param claim the number of the request that claimed it
	 * @param failures how often its handling failed so far
	 * @param crashes how often a lane died with it as its suspect
	 * @param suspect whether it is a suspect: a lane that died held it
	 * @param envelope the envelope
	 */
	public ClaimedMessage(String uid, long claim, int failures, int crashes, boolean suspect, byte[] envelope) {
		this(uid, claim, failures, crashes, suspect, envelope, null, null);
	}

}
