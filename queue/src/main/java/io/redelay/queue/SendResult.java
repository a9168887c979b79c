package io.redelay.queue;

import java.time.Instant;

import org.jspecify.annotations.Nullable;

/**
 * The result of a send. For a message that waits for the commit of a transaction it is an
 * estimate: {@code ADDED}, or {@code PENDING} if it is sent with the acknowledgement of
 * the message that is being handled, with the id that the message has if it is added, and
 * the time by the clock of this instance.
 *
 * @param queue the queue
 * @param id the id of the message by which the payload is handled: the one that its
 * sender gave it, or else a generated one. For a duplicate it is the id of the first
 * message; for a gathered payload that of the message that gathers it
 * @param due when that message is due, by the clock of Redis; when it was sent if it is
 * due already
 * @param outcome what became of the message
 * @param replacedId the id of the message that this one replaced, which is not known any
 * more; {@code null} if it replaced none
 * @param durability which copies of it there were; {@code null} if it was sent without a
 * {@link Durability}, or waits for a commit
 * @since 0.1.0
 */
public record SendResult(String queue, String id, Instant due, SendOutcome outcome, @Nullable String replacedId,
		@Nullable DurabilityOutcome durability) {

	/**
	 * Creates the result of a send that replaced nothing and gathered nothing.
	 * @param queue the queue
	 * @param id the message's id
	 * @param due when it is due
	 * @param duplicate whether nothing was added
	 */
	public SendResult(String queue, String id, Instant due, boolean duplicate) {
		this(queue, id, due, duplicate ? SendOutcome.DUPLICATE : SendOutcome.ADDED, null, null);
	}

	/**
	 * Adds which copies of the message there were.
	 * @param durability which
	 * @return the result with it
	 */
	public SendResult withDurability(@Nullable DurabilityOutcome durability) {
		return new SendResult(this.queue, this.id, this.due, this.outcome, this.replacedId, durability);
	}

	/**
	 * Returns whether nothing was added, because a living message of the queue has the
	 * same id, or an earlier one the same key.
	 * @return whether it is a duplicate
	 */
	public boolean duplicate() {
		return this.outcome == SendOutcome.DUPLICATE;
	}

}
