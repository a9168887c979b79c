package io.redelay.queue.store;

import java.time.Duration;
import java.time.Instant;
import java.util.Map;

import io.redelay.queue.HandlingOptions;
import org.jspecify.annotations.Nullable;

/**
 * What travels with a payload.
 *
 * @param id the name the sender gave the message, if any
 * @param headers the sender's own headers: strings, numbers and booleans
 * @param maxAttempts how often the message is delivered at most, if its sender said so
 * @param timeToLive how long after it was due its handling may begin, if that is limited
 * @param dropExpired whether it is forgotten when it expires, and not kept among the dead
 * messages
 * @param aggregate whether the payload is a JSON array of the payloads of several
 * messages that were sent with one key
 * @param keys what it was ordered by
 * @param handling how it is handled where its sender decides that
 * @param contentType what the payload is
 * @param payload the payload
 * @param sentAt when it was sent; given by the store
 * @param dueAt when it was due; given by the store
 * @since 0.1.0
 */
@SuppressWarnings("ArrayRecordComponent") // the bytes are handed on, never compared or
											// changed
public record Envelope(@Nullable String id, Map<String, Object> headers, @Nullable Integer maxAttempts,
		@Nullable Duration timeToLive, boolean dropExpired, boolean aggregate, Keys keys, HandlingOptions handling,
		String contentType, byte[] payload, Instant sentAt, Instant dueAt) {

	/**
	 * What is said of a message whose handling had not begun in time.
	 * @return why it is over
	 */
	public String whyExpired() {
		return "Its handling had not begun " + this.timeToLive + " after it was due";
	}

	/**
	 * What decided when a message was delivered, for those who look at it. The store goes
	 * by {@link MessageKeys}.
	 *
	 * @param ordering the ordering key, if it has one
	 * @param fairness the fairness key, if it has one
	 * @param priority the priority, if one was given
	 */
	public record Keys(@Nullable String ordering, @Nullable String fairness, @Nullable Integer priority) {

		/**
		 * Nothing but its due time.
		 */
		public static final Keys NONE = new Keys(null, null, null);

		/**
		 * Returns the keys, of which a plain message has none.
		 * @param ordering the ordering key, if it has one
		 * @param fairness the fairness key, if it has one
		 * @param priority the priority, if one was given
		 * @return the keys
		 */
		public static Keys of(@Nullable String ordering, @Nullable String fairness, @Nullable Integer priority) {
			return (ordering == null && fairness == null && priority == null) ? NONE
					: new Keys(ordering, fairness, priority);
		}

	}

}
