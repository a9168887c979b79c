package io.redelay.queue.script;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Set;

import io.redelay.queue.message.ClaimLimits;
import io.redelay.queue.request.LaneStatus;
import org.jspecify.annotations.Nullable;

/**
 * The reply to a claim: the settlements and the claimed messages.
 *
 * @param status whether the request was carried out
 * @param time the store's clock
 * @param next when something may be due, counted from the reply; {@code null} if nothing
 * is known to come
 * @param refused the uids whose settlement did not count, because the lane does not hold
 * them under that claim
 * @param messages the claimed messages
 * @param findings what the claim found out about the queue
 * @param remembered the last request that the store remembers, for
 * {@link LaneStatus#BEHIND}
 * @param moves the other moves
 * @since 0.1.0
 */
public record ClaimReply(LaneStatus status, Instant time, @Nullable Duration next, Set<String> refused,
		List<Message> messages, Findings findings, long remembered, Moves moves) {

	/**
	 * Creates the reply of a queue that no limit held up and whose outbox is empty.
	 * @param status whether the request was carried out
	 * @param time the store's clock
	 * @param next when something may be due
	 * @param refused the uids whose settlement did not count
	 * @param messages the claimed messages
	 * @param remembered the last request that the store remembers
	 */
	public ClaimReply(LaneStatus status, Instant time, @Nullable Duration next, Set<String> refused,
			List<Message> messages, long remembered) {
		this(status, time, next, refused, messages, Findings.NONE, remembered, Moves.NONE);
	}

	public ClaimLimits.@Nullable Kind limitedBy() {
		return this.findings.limitedBy();
	}

	public boolean limited() {
		return this.findings.limited();
	}

	public boolean hasNotes() {
		return this.findings.hasNotes();
	}

	/**
	 * What a claim found out about the queue.
	 *
	 * @param limitedBy the limit that kept ready and wanted messages from being claimed;
	 * {@code null} if none did
	 * @param limited whether limits of the queue are set for all instances, which its
	 * listener need not know of
	 * @param hasNotes whether the outbox of the queue has notes that are to be relayed
	 * @param suspectsLeft whether the claim was to take a suspect, and took none although
	 * there are some: a limit or a gate keeps them
	 */
	public record Findings(ClaimLimits.@Nullable Kind limitedBy, boolean limited, boolean hasNotes,
			boolean suspectsLeft) {

		/**
		 * No limit kept any message from being claimed, and the outbox is empty.
		 */
		public static final Findings NONE = new Findings(null, false, false, false);

	}

	/**
	 * The other moves in the queue, if the claim asked for them.
	 *
	 * @param ready the uids of the messages whose delay was over
	 * @param cameBack the uids of the messages that a dead lane held
	 * @param cancelled the uids of messages that were cancelled while they were held, and
	 * have ended by that: because a dead lane held them, or in place of the requested
	 * settlement. The latter are always returned
	 * @param drained whether the last living message has gone, if the claim asked for
	 * that
	 */
	public record Moves(List<String> ready, List<String> cameBack, Set<String> cancelled, boolean drained) {

		static final Moves NONE = new Moves(List.of(), List.of(), Set.of(), false);

	}

	/**
	 * A message that a lane holds.
	 *
	 * @param uid the name of this incarnation
	 * @param claim the number of the request that claimed it
	 * @param failures how often its handling failed so far
	 * @param crashes how often a lane died with it as its suspect
	 * @param suspect whether it is a suspect: a lane that died held it, so no other
	 * suspect is handled meanwhile
	 * @param envelope the envelope, a JSON object as UTF-8
	 * @param checkpoint the checkpoint of an earlier delivery, a JSON value as UTF-8, or
	 * {@code null} if there is none
	 * @param firstAttempt the trace of the first failed attempt that had one, or
	 * {@code null}
	 * @param rowOf the uid of the message that has the turn of the ordering key if this
	 * one is to be handled after it, and after those before it with the same value; else
	 * {@code null}
	 */
	@SuppressWarnings("ArrayRecordComponent") // the bytes are passed on, never compared
												// or
												// changed
	public record Message(String uid, long claim, int failures, int crashes, boolean suspect, byte[] envelope,
			byte @Nullable [] checkpoint, @Nullable String firstAttempt, @Nullable String rowOf) {

		/**
		 * Creates a message without a checkpoint and without the trace of an attempt.
		 * @param uid the name of this incarnation
		 * @param claim the number of the request that claimed it
		 * @param failures how often its handling failed so far
		 * @param crashes how often a lane died with it as its suspect
		 * @param suspect whether it is a suspect: a lane that died held it
		 * @param envelope the envelope
		 */
		public Message(String uid, long claim, int failures, int crashes, boolean suspect, byte[] envelope) {
			this(uid, claim, failures, crashes, suspect, envelope, null, null, null);
		}

	}

}
