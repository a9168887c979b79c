package io.redelay.queue.message;

import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.Map;
import java.util.Set;

import io.redelay.queue.DeathReason;
import io.redelay.queue.ExpiryAction;
import io.redelay.queue.HandlingOptions;
import io.redelay.queue.MessageDeadline;
import org.jspecify.annotations.Nullable;

/**
 * The payload of a message and the data sent with it. The payload is a part of bytes that
 * may hold more, so that reading an envelope does not copy it.
 *
 * @param options the data sent with the payload, {@link Options#NONE} for most messages
 * @param contentType the type of the payload
 * @param bytes the bytes that the payload is in
 * @param start where it begins in them
 * @param end where it ends in them
 * @param sentAt when the message was sent; given by the store
 * @param dueAt when it was due; given by the store
 * @since 0.1.0
 */
@SuppressWarnings("ArrayRecordComponent") // the bytes are passed on, never compared or
											// changed
public record Envelope(Options options, String contentType, byte[] bytes, int start, int end, Instant sentAt,
		Instant dueAt) {

	/**
	 * An envelope to be written, to which the store adds the times.
	 * @param options the data sent with the payload
	 * @param contentType the type of the payload
	 * @param payload the payload
	 */
	public Envelope(Options options, String contentType, byte[] payload) {
		this(options, contentType, payload, 0, payload.length, Instant.EPOCH, Instant.EPOCH);
	}

	/**
	 * Returns the payload.
	 * @return the payload, which is a copy if the bytes hold more
	 */
	public byte[] payload() {
		return (this.start == 0 && this.end == this.bytes.length) ? this.bytes
				: Arrays.copyOfRange(this.bytes, this.start, this.end);
	}

	/**
	 * Returns whether the payload is JSON.
	 * @return whether it is
	 */
	public boolean isJson() {
		return this.contentType.equals(EnvelopeFormat.JSON);
	}

	/**
	 * Returns the name that the sender gave the message.
	 * @return the name, or {@code null} if there is none
	 */
	public @Nullable String id() {
		return this.options.id();
	}

	/**
	 * Returns the sender's own headers: strings, numbers and booleans.
	 * @return the headers
	 */
	public Map<String, Object> headers() {
		return this.options.headers();
	}

	/**
	 * Returns how often the message is delivered at most.
	 * @return the number, or {@code null} if its sender did not set it
	 */
	public @Nullable Integer maxAttempts() {
		return this.options.maxAttempts();
	}

	/**
	 * Returns how long the message is worth handling, as its sender set it.
	 * @return the lifetime
	 */
	public Lifetime lifetime() {
		return this.options.lifetime();
	}

	/**
	 * Returns the keys by which the message was ordered and is found.
	 * @return the keys
	 */
	public Keys keys() {
		return this.options.keys();
	}

	/**
	 * Returns how the message is handled where its sender decides that.
	 * @return the options
	 */
	public HandlingOptions handling() {
		return this.options.handling();
	}

	/**
	 * Returns whether the payload is a JSON array of the payloads of several messages
	 * that were sent with one key.
	 * @return whether it is
	 */
	public boolean aggregate() {
		return this.options.aggregate();
	}

	/**
	 * Returns the envelope as it is delivered. A message that is held when Redis goes
	 * back in time, and is sent again, gets a due time in Redis after its delivery. But a
	 * delivered message is due.
	 * @param delivery when the message is delivered, by the clock of the store
	 * @return the envelope, due at that time at the latest
	 */
	public Envelope dueBy(Instant delivery) {
		return !this.dueAt.isAfter(delivery) ? this
				: new Envelope(this.options, this.contentType, this.bytes, this.start, this.end, this.sentAt, delivery);
	}

	/**
	 * Returns until when the message is handled, over all attempts.
	 * @return when, by the clock of the store, or {@code null} if that is not limited
	 */
	public @Nullable Instant deadline() {
		MessageDeadline deadline = lifetime().deadline();
		return (deadline != null) ? deadline.of(this.sentAt) : null;
	}

	/**
	 * Returns why the handling of the message may not begin at a point in time.
	 * @param time when, by the clock of the store
	 * @return the reason, or {@code null} if it may begin
	 */
	public @Nullable Expiration ended(Instant time) {
		Duration timeToLive = lifetime().timeToLive();
		Instant expiry = (timeToLive != null) ? this.dueAt.plus(timeToLive) : Instant.MAX;
		Instant deadline = deadline();
		if (deadline != null && !time.isBefore(deadline) && !expiry.isBefore(deadline)) {
			return overdue("Its handling had not begun by its deadline, " + deadline);
		}
		return time.isBefore(expiry) ? null : new Expiration(DeathReason.EXPIRED,
				"Its handling had not begun " + timeToLive + " after it was due", lifetime().dropExpired());
	}

	/**
	 * Returns the expiration of a message whose deadline has passed, or will before it
	 * can be handled.
	 * @param why the reason as text
	 * @return the expiration
	 */
	public Expiration overdue(String why) {
		MessageDeadline deadline = lifetime().deadline();
		return new Expiration(DeathReason.DEADLINE, why, deadline != null && deadline.action() == ExpiryAction.DROP);
	}

	/**
	 * The data sent with a payload: the id, the headers and the options of a message.
	 *
	 * @param id the name the sender gave the message, if any
	 * @param headers the sender's own headers: strings, numbers and booleans
	 * @param maxAttempts how often the message is delivered at most, if its sender set
	 * that
	 * @param lifetime how long it is worth handling, as its sender set it
	 * @param keys the keys by which it was ordered and is found
	 * @param handling how it is handled where its sender decides that
	 * @param aggregate whether the payload is a JSON array of the payloads of several
	 * messages that were sent with one key
	 * @param rounds in how many rounds of its queue's rule it was redriven; counted by
	 * the store
	 */
	public record Options(@Nullable String id, Map<String, Object> headers, @Nullable Integer maxAttempts,
			Lifetime lifetime, Keys keys, HandlingOptions handling, boolean aggregate, int rounds) {

		/**
		 * Nothing but a payload.
		 */
		public static final Options NONE = new Options(null, Map.of(), null, Lifetime.NONE, Keys.NONE,
				HandlingOptions.NONE, false, 0);

		/**
		 * Returns the data sent with a payload, of which a plain message has none.
		 * @param id the name the sender gave the message, if any
		 * @param headers the sender's own headers
		 * @param maxAttempts how often the message is delivered at most, or {@code null}
		 * @param lifetime how long it is worth handling
		 * @param keys the keys by which it was ordered and is found
		 * @param handling how it is handled where its sender decides that
		 * @param aggregate whether payloads are gathered in it
		 * @return the data
		 */
		public static Options of(@Nullable String id, Map<String, Object> headers, @Nullable Integer maxAttempts,
				Lifetime lifetime, Keys keys, HandlingOptions handling, boolean aggregate) {
			return of(id, headers, maxAttempts, lifetime, keys, handling, aggregate, 0);
		}

		static Options of(@Nullable String id, Map<String, Object> headers, @Nullable Integer maxAttempts,
				Lifetime lifetime, Keys keys, HandlingOptions handling, boolean aggregate, int rounds) {
			boolean none = id == null && headers.isEmpty() && maxAttempts == null && lifetime.equals(Lifetime.NONE)
					&& keys.equals(Keys.NONE) && handling.equals(HandlingOptions.NONE) && !aggregate && rounds == 0;
			return none ? NONE : new Options(id, headers, maxAttempts, lifetime, keys, handling, aggregate, rounds);
		}

		/**
		 * Returns the data with another limit of attempts and other keys.
		 * @param attempts how often the message is delivered at most, or {@code null}
		 * @param others the keys
		 * @return the data
		 */
		public Options with(@Nullable Integer attempts, Keys others) {
			return of(this.id, this.headers, attempts, this.lifetime, others, this.handling, this.aggregate,
					this.rounds);
		}

	}

	/**
	 * The keys that decided when a message was delivered, and its tags, for display. The
	 * store goes by {@link MessageKeys}.
	 *
	 * @param ordering the ordering key, if it has one
	 * @param fairness the fairness key, if it has one
	 * @param priority the priority, if one was given
	 * @param tags the tags
	 */
	public record Keys(@Nullable String ordering, @Nullable String fairness, @Nullable Integer priority,
			Set<String> tags) {

		/**
		 * Nothing but its due time.
		 */
		public static final Keys NONE = new Keys(null, null, null, Set.of());

		/**
		 * Returns the keys, of which a plain message has none.
		 * @param ordering the ordering key, if it has one
		 * @param fairness the fairness key, if it has one
		 * @param priority the priority, if one was given
		 * @param tags the tags
		 * @return the keys
		 */
		public static Keys of(@Nullable String ordering, @Nullable String fairness, @Nullable Integer priority,
				Set<String> tags) {
			return (ordering == null && fairness == null && priority == null && tags.isEmpty()) ? NONE
					: new Keys(ordering, fairness, priority, tags);
		}

	}

	/**
	 * The end of the time to live or of the deadline of a message.
	 *
	 * @param reason which of the two
	 * @param why the reason as text
	 * @param dropped whether the message is forgotten, and not kept among the dead
	 * messages
	 */
	public record Expiration(DeathReason reason, String why, boolean dropped) {

	}

	/**
	 * How long a message is worth handling, according to its envelope.
	 *
	 * @param timeToLive how long after it was due its handling may begin, if that is
	 * limited
	 * @param dropExpired whether it is forgotten when that is over, and not kept among
	 * the dead messages
	 * @param deadline until when it is handled, over all attempts, if that is limited
	 */
	public record Lifetime(@Nullable Duration timeToLive, boolean dropExpired, @Nullable MessageDeadline deadline) {

		/**
		 * Without limits.
		 */
		public static final Lifetime NONE = new Lifetime(null, false, null);

		/**
		 * Returns a lifetime, of which most messages have none.
		 * @param timeToLive how long after it was due its handling may begin, or
		 * {@code null}
		 * @param dropExpired whether it is forgotten when that is over
		 * @param deadline until when it is handled, or {@code null}
		 * @return the lifetime
		 */
		public static Lifetime of(@Nullable Duration timeToLive, boolean dropExpired,
				@Nullable MessageDeadline deadline) {
			return (timeToLive == null && !dropExpired && deadline == null) ? NONE
					: new Lifetime(timeToLive, dropExpired, deadline);
		}

		/**
		 * Returns whether it ends at some time.
		 * @return whether there is a limit
		 */
		public boolean isLimited() {
			return this.timeToLive != null || this.deadline != null;
		}

	}

}
