package io.redelay.queue;

import java.time.Duration;
import java.time.Instant;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;

import io.redelay.queue.limits.DueTime;
import io.redelay.queue.limits.LoneSurrogates;
import org.jspecify.annotations.Nullable;

import org.springframework.messaging.MessageHeaders;
import org.springframework.util.Assert;

/**
 * A message to send, with its options:
 * {@code OutboundMessage.to("orders", order).id("order-7").delay(Duration.ofMinutes(30))}.
 * Each method returns a new message and leaves this one as it is.
 *
 * @param queue the queue
 * @param payload the payload
 * @param id the id that its sender gives it, if any
 * @param delay how long until it is due, or {@code null}
 * @param dueAt when it is due, instead of a delay, or {@code null}
 * @param headers the sender's own headers
 * @param maxAttempts how often it is delivered at most, or {@code null} to use the
 * listener's number
 * @param timeToLive how long after its due time its handling may begin, or {@code null}
 * for no limit
 * @param expiryAction what becomes of it after its time to live
 * @param inTransaction whether it waits for the commit of a surrounding transaction, or
 * {@code null} to use the configuration
 * @since 0.1.0
 */
public record OutboundMessage(String queue, Object payload, @Nullable String id, @Nullable Duration delay,
		@Nullable Instant dueAt, Map<String, Object> headers, @Nullable Integer maxAttempts,
		@Nullable Duration timeToLive, ExpiryAction expiryAction, @Nullable Boolean inTransaction) {

	private static final Duration LONGEST = Duration.ofDays(3650);

	private static final Set<String> RESERVED_HEADERS = Set.of(MessageHeaders.ID, MessageHeaders.TIMESTAMP,
			MessageHeaders.CONTENT_TYPE);

	/**
	 * Validates the values.
	 */
	public OutboundMessage {
		Assert.notNull(queue, "'queue' must not be null");
		Assert.notNull(payload, "'payload' must not be null");
		Assert.isTrue(id == null || (!id.isBlank() && id.length() <= 256),
				() -> "'id' must have 1 to 256 characters and not be blank: '" + id + "'");
		Assert.isTrue(id == null || LoneSurrogates.firstIn(id) < 0,
				() -> "'id' must not have half a character, a lone surrogate: '" + id + "'");
		Assert.isTrue(delay == null || dueAt == null, "'delay' and 'dueAt' must not both be given");
		Assert.isTrue(delay == null || DueTime.isPossible(delay), () -> "'delay' must be 0 to 3650 days: " + delay);
		Assert.isTrue(dueAt == null || (dueAt.isAfter(Instant.EPOCH) && DueTime.isPossible(dueAt)),
				() -> "'dueAt' must be after 1970 and before 2469: " + dueAt);
		Assert.isTrue(maxAttempts == null || maxAttempts >= 1,
				() -> "'maxAttempts' must be at least 1: " + maxAttempts);
		Assert.isTrue(
				timeToLive == null
						|| (timeToLive.compareTo(Duration.ofMillis(1)) >= 0 && timeToLive.compareTo(LONGEST) <= 0),
				() -> "'timeToLive' must be 1 ms to 3650 days: " + timeToLive);
		Assert.notNull(headers, "'headers' must not be null");
		Assert.notNull(expiryAction, "'expiryAction' must not be null");
		headers = headers.isEmpty() ? Map.of() : Collections.unmodifiableMap(new LinkedHashMap<>(headers));
		headers.forEach(OutboundMessage::checkHeader);
	}

	private static void checkHeader(String name, Object value) {
		Assert.notNull(name, "'name' of a header must not be null");
		Assert.isTrue(!name.isBlank() && !RESERVED_HEADERS.contains(name) && !name.startsWith(QueueHeaders.PREFIX),
				() -> "'name' of a header must not be blank, one of " + RESERVED_HEADERS + ", nor begin with '"
						+ QueueHeaders.PREFIX + "': '" + name + "'");
		Assert.isTrue(value instanceof String || value instanceof Number || value instanceof Boolean,
				() -> "'value' of the header '" + name + "' must be a string, a number or a boolean: "
						+ ((value != null) ? value.getClass().getName() : null));
	}

	/**
	 * Creates a message that is due at once.
	 * @param queue the queue
	 * @param payload the payload
	 * @return the message
	 */
	public static OutboundMessage to(String queue, Object payload) {
		return new OutboundMessage(queue, payload, null, null, null, Map.of(), null, null, ExpiryAction.BURY, null);
	}

	/**
	 * Sets the id of the message. While a message of the queue with this id lives,
	 * another one is a duplicate and adds nothing.
	 * @param id 1 to 256 characters
	 * @return the message
	 */
	public OutboundMessage id(String id) {
		Assert.notNull(id, "'id' must not be null");
		return new OutboundMessage(this.queue, this.payload, id, this.delay, this.dueAt, this.headers, this.maxAttempts,
				this.timeToLive, this.expiryAction, this.inTransaction);
	}

	/**
	 * Makes it due after a delay.
	 * @param delay how long from its arrival at Redis; 0 to 3650 days, rounded up to
	 * milliseconds
	 * @return the message
	 */
	public OutboundMessage delay(Duration delay) {
		Assert.notNull(delay, "'delay' must not be null");
		return new OutboundMessage(this.queue, this.payload, this.id, delay, null, this.headers, this.maxAttempts,
				this.timeToLive, this.expiryAction, this.inTransaction);
	}

	/**
	 * Makes it due at a point in time, by the clock of Redis.
	 * @param dueAt when, after 1970 and before 2469; at once if that has passed
	 * @return the message
	 */
	public OutboundMessage dueAt(Instant dueAt) {
		Assert.notNull(dueAt, "'dueAt' must not be null");
		return new OutboundMessage(this.queue, this.payload, this.id, null, dueAt, this.headers, this.maxAttempts,
				this.timeToLive, this.expiryAction, this.inTransaction);
	}

	/**
	 * Adds a header.
	 * @param name the name, which must not begin with {@value QueueHeaders#PREFIX}
	 * @param value a string, a number or a boolean
	 * @return the message
	 */
	public OutboundMessage header(String name, Object value) {
		Map<String, Object> extended = new LinkedHashMap<>(this.headers);
		extended.put(name, value);
		return headers(extended);
	}

	/**
	 * Sets the headers.
	 * @param headers strings, numbers and booleans by names that do not begin with
	 * {@value QueueHeaders#PREFIX}
	 * @return the message
	 */
	public OutboundMessage headers(Map<String, Object> headers) {
		return new OutboundMessage(this.queue, this.payload, this.id, this.delay, this.dueAt, headers, this.maxAttempts,
				this.timeToLive, this.expiryAction, this.inTransaction);
	}

	/**
	 * Sets how often the message is delivered at most, instead of the listener's number.
	 * @param maxAttempts at least 1, the first delivery included
	 * @return the message
	 */
	public OutboundMessage maxAttempts(int maxAttempts) {
		return new OutboundMessage(this.queue, this.payload, this.id, this.delay, this.dueAt, this.headers, maxAttempts,
				this.timeToLive, this.expiryAction, this.inTransaction);
	}

	/**
	 * Lets the message expire when its handling has not begun some time after it was due.
	 * It is then kept among the dead messages as expired.
	 * @param timeToLive at least 1 ms
	 * @return the message
	 */
	public OutboundMessage timeToLive(Duration timeToLive) {
		return timeToLive(timeToLive, ExpiryAction.BURY);
	}

	/**
	 * Lets the message expire when its handling has not begun some time after it was due.
	 * @param timeToLive at least 1 ms
	 * @param expiryAction what becomes of it then
	 * @return the message
	 */
	public OutboundMessage timeToLive(Duration timeToLive, ExpiryAction expiryAction) {
		Assert.notNull(timeToLive, "'timeToLive' must not be null");
		return new OutboundMessage(this.queue, this.payload, this.id, this.delay, this.dueAt, this.headers,
				this.maxAttempts, timeToLive, expiryAction, this.inTransaction);
	}

	/**
	 * Chooses whether the message waits for the commit of a surrounding transaction of
	 * Spring's.
	 * @param inTransaction {@code false} to send it at once
	 * @return the message
	 */
	public OutboundMessage inTransaction(boolean inTransaction) {
		return new OutboundMessage(this.queue, this.payload, this.id, this.delay, this.dueAt, this.headers,
				this.maxAttempts, this.timeToLive, this.expiryAction, inTransaction);
	}

	@Override
	public String toString() {
		return "OutboundMessage to '" + this.queue + "'" + ((this.id != null) ? " with the id '" + this.id + "'" : "");
	}

}
