package io.redelay.queue.message;

import java.time.Instant;
import java.util.List;

import io.redelay.queue.MessageState;
import org.jspecify.annotations.Nullable;

/**
 * A message as the store has it.
 *
 * @param uid its uid
 * @param id its id, or its uid if it has none
 * @param state its state
 * @param since when it is due if it is scheduled, when it died if it is dead, or when it
 * was done
 * @param failures how often its handling failed, while it lives
 * @param crashes how often an instance died while it was a suspect of its, while it lives
 * @param lane the lane that holds it, if one does
 * @param cancelled whether it must not be tried again
 * @param envelope its envelope
 * @param cause why it is dead, as JSON, if it is
 * @param history its earlier attempts, as JSON, the first one first
 * @param target the queue it is being forwarded to, if it is
 * @param result the result of its handler, as {@link KeptResult} reads it, if that is
 * kept
 * @param work its progress, log and checkpoint, or {@code null} if it has none
 * @since 0.1.0
 */
@SuppressWarnings("ArrayRecordComponent") // the bytes are passed on, never compared or
											// changed
public record StoredMessage(String uid, String id, MessageState state, @Nullable Instant since, int failures,
		int crashes, @Nullable String lane, boolean cancelled, byte[] envelope, @Nullable String cause,
		List<String> history, @Nullable String target, byte @Nullable [] result, @Nullable StoredWork work) {

}
