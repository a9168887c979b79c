package io.redelay.queue.script;

import io.redelay.queue.message.FailedAttemptCodec;
import io.redelay.queue.message.NewMessage;
import org.jspecify.annotations.Nullable;

import org.springframework.util.Assert;

/**
 * An entry of an inlet with the message made of it: one to add, or a dead one.
 *
 * @param entry the entry
 * @param message the message to add, if it can be sent
 * @param dead the envelope to keep among the dead messages, if it cannot
 * @since 0.1.0
 */
public record TakenEntry(LookInletScript.Entry entry, @Nullable NewMessage message, @Nullable Dead dead) {

	/**
	 * Checks that there is one of the two.
	 */
	public TakenEntry {
		Assert.isTrue((message == null) != (dead == null), "An entry becomes a message or a dead one");
	}

	/**
	 * Returns the size of all parts together.
	 * @return the size in bytes
	 */
	public long bytes() {
		long made = (this.message != null) ? this.message.bytes() : 0;
		return this.entry.text().length + made + ((this.dead != null) ? this.dead.envelope().length : 0);
	}

	/**
	 * A message that is dead from the beginning.
	 *
	 * @param uid its uid, never used before
	 * @param envelope a JSON object as UTF-8, not empty
	 * @param cause its cause of death: see {@link FailedAttemptCodec}
	 */
	@SuppressWarnings("ArrayRecordComponent") // as in LookInletScript.Entry
	public record Dead(String uid, byte[] envelope, String cause) {

	}

}
