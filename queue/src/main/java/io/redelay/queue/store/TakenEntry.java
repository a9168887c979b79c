package io.redelay.queue.store;

import org.jspecify.annotations.Nullable;

import org.springframework.util.Assert;

/**
 * An entry of an inlet with what was made of it: a message to add, or one that is dead.
 *
 * @param entry the entry
 * @param message what to add, if it can be sent
 * @param dead what to keep among the dead messages, if it cannot
 * @since 0.1.0
 */
public record TakenEntry(InletEntry entry, @Nullable NewMessage message, @Nullable Dead dead) {

	/**
	 * Checks that it is one of both.
	 */
	public TakenEntry {
		Assert.isTrue((message == null) != (dead == null), "An entry becomes a message or a dead one");
	}

	/**
	 * What its parts have together.
	 */
	long bytes() {
		long made = (this.message != null) ? this.message.envelope().length : 0;
		return this.entry.text().length + made + ((this.dead != null) ? this.dead.envelope().length : 0);
	}

	/**
	 * A message that is dead from the beginning.
	 *
	 * @param uid its uid, never used before
	 * @param envelope a JSON object as UTF-8, not empty
	 * @param cause what it died of: see {@link FailedAttemptCodec}
	 */
	@SuppressWarnings("ArrayRecordComponent") // as in InletEntry
	public record Dead(String uid, byte[] envelope, String cause) {

	}

}
