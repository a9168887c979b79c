package io.redelay.queue;

import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;

import io.redelay.queue.limits.LoneSurrogates;
import io.redelay.queue.limits.TagName;
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
 * @param headers the sender's own headers
 * @param timing when it is due
 * @param order what decides when it is delivered once it is due
 * @param limits how often and how late it is delivered at most
 * @param deduplication what becomes of it and others with the same key, or {@code null}
 * to use the queue's properties
 * @param sending with what its sending is done together
 * @param handling how it is handled where its sender decides that
 * @param tags by what it is found, in the order given
 * @since 0.1.0
 */
public record OutboundMessage(String queue, Object payload, @Nullable String id, Map<String, Object> headers,
		MessageTiming timing, DeliveryOrder order, DeliveryLimits limits, @Nullable Deduplication deduplication,
		SendingOptions sending, HandlingOptions handling, Set<String> tags) {

	private static final Set<String> RESERVED_HEADERS = Set.of(MessageHeaders.ID, MessageHeaders.TIMESTAMP,
			MessageHeaders.CONTENT_TYPE);

	/**
	 * Validates the values.
	 */
	public OutboundMessage {
		Assert.notNull(queue, "'queue' must not be null");
		Assert.notNull(payload, "'payload' must not be null");
		if (id != null && (id.isBlank() || id.length() > 256)) {
			throw new IllegalArgumentException("'id' must have 1 to 256 characters and not be blank: '" + id + "'");
		}
		if (id != null && id.indexOf('\0') >= 0) {
			throw new IllegalArgumentException("'id' must not have the character NUL: '" + id + "'");
		}
		if (id != null && LoneSurrogates.firstIn(id) >= 0) {
			throw new IllegalArgumentException("'id' must not have half a character, a lone surrogate: '" + id + "'");
		}
		Assert.notNull(headers, "'headers' must not be null");
		headers = headers.isEmpty() ? Map.of() : Collections.unmodifiableMap(new LinkedHashMap<>(headers));
		headers.forEach(OutboundMessage::checkHeader);
		Assert.notNull(timing, "'timing' must not be null");
		Assert.notNull(order, "'order' must not be null");
		Assert.notNull(limits, "'limits' must not be null");
		Assert.notNull(sending, "'sending' must not be null");
		Assert.notNull(handling, "'handling' must not be null");
		tags = TagName.checked(tags);
		checkDeduplication(deduplication, id, timing);
		if (limits.deadline() != null) {
			limits.deadline().check(timing, (deduplication != null) ? deduplication.waitTime() : null);
		}
		if (queue.equals(handling.deadLetterQueue())) {
			throw new IllegalArgumentException(
					"'deadLetterQueue' must not be the queue of the message itself: '" + queue + "'");
		}
	}

	private static void checkDeduplication(@Nullable Deduplication deduplication, @Nullable String id,
			MessageTiming timing) {
		if (deduplication == null || deduplication.waitTime() == null) {
			return;
		}
		if (id != null) {
			throw new IllegalArgumentException(
					"'id' must not be given where messages replace each other or gather, for those with the id of "
							+ "one that is being handled would be lost: '" + id + "'; leave it out, the key '"
							+ deduplication.key() + "' says which belong together");
		}
		if (!timing.equals(MessageTiming.NOW)) {
			throw new IllegalArgumentException(
					"'delay', 'dueAt' and 'spread' must not be given where messages replace each other or gather, "
							+ "for that decides when they are due: " + timing + "; leave them out");
		}
	}

	private static void checkHeader(String name, Object value) {
		Assert.notNull(name, "'name' of a header must not be null");
		if (name.isBlank() || RESERVED_HEADERS.contains(name) || name.startsWith(QueueHeaders.PREFIX)) {
			throw new IllegalArgumentException("'name' of a header must not be blank, one of " + RESERVED_HEADERS
					+ ", nor begin with '" + QueueHeaders.PREFIX + "': '" + name + "'");
		}
		if (!(value instanceof String) && !(value instanceof Number) && !(value instanceof Boolean)) {
			throw new IllegalArgumentException(
					"'value' of the header '" + name + "' must be a string, a number or a boolean: "
							+ ((value != null) ? value.getClass().getName() : null));
		}
	}

	/**
	 * Creates a message that is due at once.
	 * @param queue the queue
	 * @param payload the payload
	 * @return the message
	 */
	public static OutboundMessage to(String queue, Object payload) {
		return new OutboundMessage(queue, payload, null, Map.of(), MessageTiming.NOW, DeliveryOrder.NONE,
				DeliveryLimits.NONE, null, SendingOptions.NONE, HandlingOptions.NONE, Set.of());
	}

	/**
	 * Sets the id of the message. While a message of the queue with this id lives,
	 * another one is a duplicate and adds nothing.
	 * @param id 1 to 256 characters
	 * @return the message
	 */
	public OutboundMessage id(String id) {
		Assert.notNull(id, "'id' must not be null");
		return new OutboundMessage(this.queue, this.payload, id, this.headers, this.timing, this.order, this.limits,
				this.deduplication, this.sending, this.handling, this.tags);
	}

	/**
	 * Makes it due after a delay.
	 * @param delay how long from its arrival at Redis; 0 to 3650 days, rounded up to
	 * milliseconds
	 * @return the message
	 */
	public OutboundMessage delay(Duration delay) {
		Assert.notNull(delay, "'delay' must not be null");
		return with(this.timing.delay(delay));
	}

	/**
	 * Makes it due at a point in time, by the clock of Redis.
	 * @param dueAt when, after 1970 and before 2469; at once if that has passed
	 * @return the message
	 */
	public OutboundMessage dueAt(Instant dueAt) {
		Assert.notNull(dueAt, "'dueAt' must not be null");
		return with(this.timing.dueAt(dueAt));
	}

	/**
	 * Makes it due later by a uniformly random time, so that many messages for the same
	 * time are not all due at once.
	 * @param spread how much later at most; 0 to 3650 days, together with a delay
	 * @return the message
	 */
	public OutboundMessage spread(Duration spread) {
		Assert.notNull(spread, "'spread' must not be null");
		return with(this.timing.spread(spread));
	}

	/**
	 * Has the message wait for its turn among those of the queue with the same ordering
	 * key: they are handled one at a time, in the order in which they were sent or became
	 * due. Messages of other keys go on meanwhile.
	 * @param orderingKey 1 to 256 characters, none of them a control character
	 * @return the message
	 */
	public OutboundMessage orderingKey(String orderingKey) {
		Assert.notNull(orderingKey, "'orderingKey' must not be null");
		return with(this.order.orderingKey(orderingKey));
	}

	/**
	 * Chooses what becomes of the messages with the same ordering key behind this one if
	 * it dies.
	 * @param deadHoldsKey whether they wait until it is delivered again or deleted;
	 * otherwise they go on
	 * @return the message
	 */
	public OutboundMessage deadHoldsKey(boolean deadHoldsKey) {
		return with(this.order.deadHoldsKey(deadHoldsKey));
	}

	/**
	 * Has the message wait behind those of the queue with the same fairness key, such as
	 * a tenant. All fairness keys that have messages waiting take turns, however many
	 * messages one of them has. The weight is that of the queue's properties, or 1.
	 * @param fairnessKey 1 to 256 characters, none of them a control character
	 * @return the message
	 */
	public OutboundMessage fairnessKey(String fairnessKey) {
		Assert.notNull(fairnessKey, "'fairnessKey' must not be null");
		return with(this.order.fairnessKey(fairnessKey, null));
	}

	/**
	 * Has the message wait behind those of the queue with the same fairness key, and
	 * gives the key more than one message each time it is its turn.
	 * @param fairnessKey 1 to 256 characters, none of them a control character
	 * @param weight how many messages, 1 to 100
	 * @return the message
	 */
	public OutboundMessage fairnessKey(String fairnessKey, int weight) {
		Assert.notNull(fairnessKey, "'fairnessKey' must not be null");
		return with(this.order.fairnessKey(fairnessKey, weight));
	}

	/**
	 * Sets one key as ordering key and as fairness key.
	 * @param key 1 to 256 characters, none of them a control character
	 * @return the message
	 */
	public OutboundMessage key(String key) {
		return orderingKey(key).fairnessKey(key);
	}

	/**
	 * Sets the priority of the message. Of the due messages, those of the highest
	 * priority are delivered first. A message without one has the priority 4.
	 * @param priority 0 to 9, and 9 is the highest
	 * @return the message
	 */
	public OutboundMessage priority(int priority) {
		return with(this.order.priority(priority));
	}

	/**
	 * Decides what becomes of this message and of others of the queue with the same key:
	 * the first wins, the newest replaces the one that waits, or their payloads gather.
	 * This is done together with the send, in any instance.
	 * @param deduplication how, and the key
	 * @return the message
	 */
	public OutboundMessage deduplicate(Deduplication deduplication) {
		Assert.notNull(deduplication, "'deduplication' must not be null");
		return new OutboundMessage(this.queue, this.payload, this.id, this.headers, this.timing, this.order,
				this.limits, deduplication, this.sending, this.handling, this.tags);
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
		return new OutboundMessage(this.queue, this.payload, this.id, headers, this.timing, this.order, this.limits,
				this.deduplication, this.sending, this.handling, this.tags);
	}

	/**
	 * Adds a tag, by which the message is found, cancelled and redriven together with
	 * others of its queue that have it, in any state.
	 * @param tag such as {@code order:7}; 1 to 100 characters, none of them a control
	 * character
	 * @return the message
	 */
	public OutboundMessage tag(String tag) {
		Set<String> extended = new LinkedHashSet<>(this.tags);
		extended.add(tag);
		return tags(extended);
	}

	/**
	 * Sets the tags, by each of which the message is found, cancelled and redriven
	 * together with others of its queue that have it, in any state.
	 * @param tags at most 10, each of 1 to 100 characters, none of them a control
	 * character
	 * @return the message
	 */
	public OutboundMessage tags(Collection<String> tags) {
		Assert.notNull(tags, "'tags' must not be null");
		return new OutboundMessage(this.queue, this.payload, this.id, this.headers, this.timing, this.order,
				this.limits, this.deduplication, this.sending, this.handling, TagName.checked(tags));
	}

	/**
	 * Sets how often the message is delivered at most, instead of the listener's number.
	 * @param maxAttempts at least 1, the first delivery included
	 * @return the message
	 */
	public OutboundMessage maxAttempts(int maxAttempts) {
		return with(this.limits.maxAttempts(maxAttempts));
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
		return with(this.limits.timeToLive(timeToLive, expiryAction));
	}

	/**
	 * Limits the time in which the message is handled, over all of its attempts. A
	 * message that is not done by then is kept among the dead messages, with the reason
	 * {@link DeathReason#DEADLINE}.
	 * @param deadline how long from its arrival at Redis; 1 ms to 3650 days, rounded up
	 * to milliseconds, and longer than until it is due
	 * @return the message
	 */
	public OutboundMessage deadline(Duration deadline) {
		return deadline(deadline, ExpiryAction.BURY);
	}

	/**
	 * Limits the time in which the message is handled, over all of its attempts.
	 * @param deadline how long from its arrival at Redis; 1 ms to 3650 days, rounded up
	 * to milliseconds, and longer than until it is due
	 * @param action what becomes of it then
	 * @return the message
	 */
	public OutboundMessage deadline(Duration deadline, ExpiryAction action) {
		Assert.notNull(deadline, "'deadline' must not be null");
		return with(this.limits.deadline(new MessageDeadline(deadline, null, action)));
	}

	/**
	 * Sets until when the message is handled, over all of its attempts, by the clock of
	 * Redis. A message that is not done by then is kept among the dead messages, with the
	 * reason {@link DeathReason#DEADLINE}.
	 * @param deadline when, before 2469, and after it is due
	 * @return the message
	 */
	public OutboundMessage deadline(Instant deadline) {
		return deadline(deadline, ExpiryAction.BURY);
	}

	/**
	 * Sets until when the message is handled, over all of its attempts, by the clock of
	 * Redis.
	 * @param deadline when, before 2469, and after it is due
	 * @param action what becomes of it then
	 * @return the message
	 */
	public OutboundMessage deadline(Instant deadline, ExpiryAction action) {
		Assert.notNull(deadline, "'deadline' must not be null");
		return with(this.limits.deadline(new MessageDeadline(null, deadline, action)));
	}

	/**
	 * Gives the payload a logical name, by which a listener with several
	 * {@link io.redelay.queue.listener.QueueHandler} methods chooses one. Without this
	 * call it is the name that {@link PayloadType} gives the class of the payload, if
	 * there is one.
	 * @param payloadType 1 to 256 characters, none of them a control character
	 * @return the message
	 */
	public OutboundMessage payloadType(String payloadType) {
		Assert.notNull(payloadType, "'payloadType' must not be null");
		return with(this.handling.payloadType(payloadType));
	}

	/**
	 * Sets how long the message waits before it is delivered again after a failure,
	 * instead of the listener's backoff. A delay that a handler asks for overrides it.
	 * @param backoff the backoff
	 * @return the message
	 */
	public OutboundMessage backoff(MessageBackoff backoff) {
		Assert.notNull(backoff, "'backoff' must not be null");
		return with(this.handling.backoff(backoff));
	}

	/**
	 * Sets how long the handling of the message may take, instead of the listener's
	 * limit. In a batch, the shortest limit holds for all of it.
	 * @param maxHandlingTime 1 ms to 3650 days
	 * @return the message
	 */
	public OutboundMessage maxHandlingTime(Duration maxHandlingTime) {
		Assert.notNull(maxHandlingTime, "'maxHandlingTime' must not be null");
		return with(this.handling.maxHandlingTime(maxHandlingTime));
	}

	/**
	 * Sets the queue that the message is forwarded to when it dies, in place of being
	 * kept among the dead messages of its queue, and of the listener's dead-letter queue.
	 * Its copy there has the headers of {@link QueueHeaders} with its origin and the
	 * reason of its death.
	 * @param deadLetterQueue the name of another queue
	 * @return the message
	 */
	public OutboundMessage deadLetterQueue(String deadLetterQueue) {
		Assert.notNull(deadLetterQueue, "'deadLetterQueue' must not be null");
		return with(this.handling.deadLetterQueue(deadLetterQueue));
	}

	/**
	 * Chooses whether the message waits for the commit of a surrounding Spring
	 * transaction.
	 * @param inTransaction {@code false} to send it at once
	 * @return the message
	 */
	public OutboundMessage inTransaction(boolean inTransaction) {
		return with(this.sending.inTransaction(inTransaction));
	}

	/**
	 * Has the send wait until replicas have the message, and fail with a
	 * {@link SendNotDurableException} if they do not in time.
	 * @param replicas how many, at least 1
	 * @param timeout how long to wait for them, 1 ms to 30 s
	 * @return the message
	 */
	public OutboundMessage replicas(int replicas, Duration timeout) {
		return durability(Durability.replicas(replicas, timeout));
	}

	/**
	 * Has the send wait until there are copies of the message, on replicas or in files.
	 * @param durability which copies, and for how long to wait
	 * @return the message
	 */
	public OutboundMessage durability(Durability durability) {
		Assert.notNull(durability, "'durability' must not be null");
		return with(this.sending.durability(durability));
	}

	/**
	 * Has what the handler returns kept, and an instance notified of it. For
	 * {@link QueueOperations#sendForResult}, which does this by itself.
	 * @param instance the name of the instance in the store
	 * @return the message
	 */
	public OutboundMessage resultTo(String instance) {
		Assert.notNull(instance, "'instance' must not be null");
		return with(this.sending.resultTo(instance));
	}

	/**
	 * Sends the message with the acknowledgement of the message that is being handled:
	 * both happen, or neither. If the handling fails, it is not sent. Its delay begins
	 * with the acknowledgement. Only for code that runs as part of a handler; see
	 * {@link io.redelay.queue.work.NextStep} for code that runs on other threads.
	 * @return the message
	 */
	public OutboundMessage inDelivery() {
		return with(this.sending.withAcknowledgement());
	}

	private OutboundMessage with(MessageTiming timing) {
		return new OutboundMessage(this.queue, this.payload, this.id, this.headers, timing, this.order, this.limits,
				this.deduplication, this.sending, this.handling, this.tags);
	}

	private OutboundMessage with(DeliveryOrder order) {
		return new OutboundMessage(this.queue, this.payload, this.id, this.headers, this.timing, order, this.limits,
				this.deduplication, this.sending, this.handling, this.tags);
	}

	private OutboundMessage with(DeliveryLimits limits) {
		return new OutboundMessage(this.queue, this.payload, this.id, this.headers, this.timing, this.order, limits,
				this.deduplication, this.sending, this.handling, this.tags);
	}

	private OutboundMessage with(SendingOptions sending) {
		return new OutboundMessage(this.queue, this.payload, this.id, this.headers, this.timing, this.order,
				this.limits, this.deduplication, sending, this.handling, this.tags);
	}

	private OutboundMessage with(HandlingOptions handling) {
		return new OutboundMessage(this.queue, this.payload, this.id, this.headers, this.timing, this.order,
				this.limits, this.deduplication, this.sending, handling, this.tags);
	}

	@Override
	public String toString() {
		return "OutboundMessage to '" + this.queue + "'" + ((this.id != null) ? " with the id '" + this.id + "'" : "");
	}

}
