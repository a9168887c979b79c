package io.redelay.queue.message;

import java.time.Duration;
import java.time.Instant;

import io.redelay.queue.Deduplication;
import io.redelay.queue.Durability;
import io.redelay.queue.MessageTiming;
import org.jspecify.annotations.Nullable;

/**
 * A message to be added.
 *
 * @param uid the name of this incarnation, never used before, without blanks, {@code +}
 * and {@code @}; see {@link Uids}
 * @param id the name its sender gave it, if any; living messages of a queue do not share
 * one
 * @param timing when it is due, or {@code null} if at once; a spread is of no account
 * @param envelope a JSON object as UTF-8, not empty
 * @param keys the keys that decide when it is delivered, besides its due time; or
 * {@code null}
 * @param deduplication how it and others with the same key are combined, or {@code null};
 * the payload of an {@link Deduplication.Aggregate} is a JSON array, see
 * {@link EnvelopeCodec#list}
 * @param durability which copies of it are waited for, or {@code null}
 * @param bundle the bundle that counts how the message ends, or {@code null}
 * @since 0.1.0
 */
@SuppressWarnings("ArrayRecordComponent") // the bytes are passed on, never compared or
											// changed
public record NewMessage(String uid, @Nullable String id, @Nullable MessageTiming timing, byte[] envelope,
		@Nullable MessageKeys keys, @Nullable Deduplication deduplication, @Nullable Durability durability,
		@Nullable BundleMembership bundle) {

	/**
	 * A message without keys.
	 */
	public NewMessage(String uid, @Nullable String id, @Nullable Duration delay, @Nullable Instant dueAt,
			byte[] envelope) {
		this(uid, id, delay, dueAt, envelope, null, null);
	}

	/**
	 * Creates a message whose sender does not wait for copies.
	 */
	public NewMessage(String uid, @Nullable String id, @Nullable Duration delay, @Nullable Instant dueAt,
			byte[] envelope, @Nullable MessageKeys keys, @Nullable Deduplication deduplication) {
		this(uid, id, timing(delay, dueAt), envelope, keys, deduplication, null, null);
	}

	static @Nullable MessageTiming timing(@Nullable Duration delay, @Nullable Instant dueAt) {
		return (delay != null || dueAt != null) ? new MessageTiming(delay, dueAt, null) : null;
	}

	/**
	 * Returns how long from its arrival at the store until it is due.
	 * @return the time, or {@code null} if it is due at once or at a point in time
	 */
	public @Nullable Duration delay() {
		return (this.timing != null) ? this.timing.delay() : null;
	}

	/**
	 * Returns when it is due, instead of a delay.
	 * @return the time, or {@code null}
	 */
	public @Nullable Instant dueAt() {
		return (this.timing != null) ? this.timing.dueAt() : null;
	}

	/**
	 * Returns how large it is.
	 * @return the size of its envelope in bytes
	 */
	public int bytes() {
		return this.envelope.length;
	}

	/**
	 * Returns the same message in a bundle.
	 * @param bundle the bundle
	 * @return the message
	 */
	public NewMessage inBundle(BundleMembership bundle) {
		return new NewMessage(this.uid, this.id, this.timing, this.envelope, this.keys, this.deduplication,
				this.durability, bundle);
	}

}
