package io.redelay.queue.admin;

import java.time.Instant;
import java.util.Arrays;
import java.util.Collections;
import java.util.EnumSet;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;

import io.redelay.queue.DeathReason;
import io.redelay.queue.MessageState;
import io.redelay.queue.limits.TagName;
import org.jspecify.annotations.Nullable;

import org.springframework.util.Assert;

/**
 * Chooses among the messages of a queue, built up like
 * {@code MessageFilter.all().states(MessageState.DEAD).header("tenant", "7")}. A message
 * is chosen if it meets all criteria that are set. Each method returns a new filter and
 * leaves this one as it is.
 *
 * @param states the states they may be in; empty for any
 * @param id their id or uid, or any
 * @param tag a tag they have, or any
 * @param headers headers they have, as text; empty for any
 * @param fields fields that their JSON payload has, by JSON pointers such as
 * {@code /customer/id}, as text; of an array one element is enough; empty for any
 * @param payloadType the logical name of their payload's type, or any
 * @param sentAfter the earliest time they were sent, or any
 * @param sentBefore the time they were sent before, or any
 * @param dueAfter the earliest time they are or were due, or any
 * @param dueBefore the time they are or were due before, or any
 * @param diedAfter the earliest time of death, or any; chooses dead ones only
 * @param diedBefore the time they died before, or any; chooses dead ones only
 * @param reason why they are dead, or any; chooses dead ones only
 * @param exception the name of the type of the failure that they died of, or that their
 * last attempt ended in, or any
 * @param text a text that the message of that failure contains, or any
 * @param minFailures how often their handling has failed at least
 * @since 0.1.0
 */
public record MessageFilter(Set<MessageState> states, @Nullable String id, @Nullable String tag,
		Map<String, String> headers, Map<String, String> fields, @Nullable String payloadType,
		@Nullable Instant sentAfter, @Nullable Instant sentBefore, @Nullable Instant dueAfter,
		@Nullable Instant dueBefore, @Nullable Instant diedAfter, @Nullable Instant diedBefore,
		@Nullable DeathReason reason, @Nullable String exception, @Nullable String text, int minFailures) {

	/**
	 * Checks the values, and copies states, headers and fields.
	 */
	public MessageFilter {
		Assert.isTrue(!states.contains(MessageState.UNKNOWN),
				"'states' must not contain UNKNOWN: such messages are nowhere");
		Assert.isTrue(minFailures >= 0, () -> "'minFailures' must be 0 or more: " + minFailures);
		if (tag != null) {
			TagName.check(tag);
		}
		fields.keySet()
			.forEach((pointer) -> Assert.isTrue(pointer.startsWith("/"),
					() -> "'fields' must have JSON pointers, such as /customer/id: '" + pointer + "'"));
		states = states.isEmpty() ? Set.of() : Collections.unmodifiableSet(EnumSet.copyOf(states));
		headers = Map.copyOf(headers);
		fields = Map.copyOf(fields);
	}

	/**
	 * Chooses all.
	 * @return the filter
	 */
	public static MessageFilter all() {
		return new MessageFilter(Set.of(), null, null, Map.of(), Map.of(), null, null, null, null, null, null, null,
				null, null, null, 0);
	}

	/**
	 * Chooses those in one of some states.
	 * @param states the states, not {@link MessageState#UNKNOWN}; none for any
	 * @return the filter
	 */
	public MessageFilter states(MessageState... states) {
		return states(new HashSet<>(Arrays.asList(states)));
	}

	/**
	 * Chooses those in one of some states.
	 * @param states the states, not {@link MessageState#UNKNOWN}; none for any
	 * @return the filter
	 */
	public MessageFilter states(Set<MessageState> states) {
		return new MessageFilter(states, this.id, this.tag, this.headers, this.fields, this.payloadType, this.sentAfter,
				this.sentBefore, this.dueAfter, this.dueBefore, this.diedAfter, this.diedBefore, this.reason,
				this.exception, this.text, this.minFailures);
	}

	/**
	 * Chooses those with an id or uid. If several messages share the id, all that it
	 * finds are chosen.
	 * @param id the id or uid
	 * @return the filter
	 */
	public MessageFilter id(String id) {
		return new MessageFilter(this.states, id, this.tag, this.headers, this.fields, this.payloadType, this.sentAfter,
				this.sentBefore, this.dueAfter, this.dueBefore, this.diedAfter, this.diedBefore, this.reason,
				this.exception, this.text, this.minFailures);
	}

	/**
	 * Chooses those that have a tag. The tag is looked up in its index; the cost grows
	 * with the number of messages that have it.
	 * @param tag the tag
	 * @return the filter
	 */
	public MessageFilter tag(String tag) {
		return new MessageFilter(this.states, this.id, tag, this.headers, this.fields, this.payloadType, this.sentAfter,
				this.sentBefore, this.dueAfter, this.dueBefore, this.diedAfter, this.diedBefore, this.reason,
				this.exception, this.text, this.minFailures);
	}

	/**
	 * Chooses those that have a header, in addition to others that were set.
	 * @param name its name
	 * @param value its value as text
	 * @return the filter
	 */
	public MessageFilter header(String name, String value) {
		return new MessageFilter(this.states, this.id, this.tag, with(this.headers, name, value), this.fields,
				this.payloadType, this.sentAfter, this.sentBefore, this.dueAfter, this.dueBefore, this.diedAfter,
				this.diedBefore, this.reason, this.exception, this.text, this.minFailures);
	}

	/**
	 * Chooses those whose payload is JSON and has a field, in addition to others that
	 * were set.
	 * @param pointer where it is, as a JSON pointer such as {@code /customer/id}
	 * @param value its value as text: without quotation marks, or {@code true}, {@code
	 * 7}, {@code null}
	 * @return the filter
	 */
	public MessageFilter field(String pointer, String value) {
		return new MessageFilter(this.states, this.id, this.tag, this.headers, with(this.fields, pointer, value),
				this.payloadType, this.sentAfter, this.sentBefore, this.dueAfter, this.dueBefore, this.diedAfter,
				this.diedBefore, this.reason, this.exception, this.text, this.minFailures);
	}

	/**
	 * Chooses those whose payload is of a type.
	 * @param payloadType its logical name, see {@link io.redelay.queue.PayloadType}
	 * @return the filter
	 */
	public MessageFilter payloadType(String payloadType) {
		return new MessageFilter(this.states, this.id, this.tag, this.headers, this.fields, payloadType, this.sentAfter,
				this.sentBefore, this.dueAfter, this.dueBefore, this.diedAfter, this.diedBefore, this.reason,
				this.exception, this.text, this.minFailures);
	}

	/**
	 * Chooses those that were sent at a time or later, by the clock of Redis.
	 * @param sentAfter the time
	 * @return the filter
	 */
	public MessageFilter sentAfter(Instant sentAfter) {
		return new MessageFilter(this.states, this.id, this.tag, this.headers, this.fields, this.payloadType, sentAfter,
				this.sentBefore, this.dueAfter, this.dueBefore, this.diedAfter, this.diedBefore, this.reason,
				this.exception, this.text, this.minFailures);
	}

	/**
	 * Chooses those that were sent before a time, by the clock of Redis.
	 * @param sentBefore the time
	 * @return the filter
	 */
	public MessageFilter sentBefore(Instant sentBefore) {
		return new MessageFilter(this.states, this.id, this.tag, this.headers, this.fields, this.payloadType,
				this.sentAfter, sentBefore, this.dueAfter, this.dueBefore, this.diedAfter, this.diedBefore, this.reason,
				this.exception, this.text, this.minFailures);
	}

	/**
	 * Chooses those that are or were due at a time or later, by the clock of Redis.
	 * @param dueAfter the time
	 * @return the filter
	 */
	public MessageFilter dueAfter(Instant dueAfter) {
		return new MessageFilter(this.states, this.id, this.tag, this.headers, this.fields, this.payloadType,
				this.sentAfter, this.sentBefore, dueAfter, this.dueBefore, this.diedAfter, this.diedBefore, this.reason,
				this.exception, this.text, this.minFailures);
	}

	/**
	 * Chooses those that are or were due before a time, by the clock of Redis.
	 * @param dueBefore the time
	 * @return the filter
	 */
	public MessageFilter dueBefore(Instant dueBefore) {
		return new MessageFilter(this.states, this.id, this.tag, this.headers, this.fields, this.payloadType,
				this.sentAfter, this.sentBefore, this.dueAfter, dueBefore, this.diedAfter, this.diedBefore, this.reason,
				this.exception, this.text, this.minFailures);
	}

	/**
	 * Chooses dead ones that died at a time or later, by the clock of Redis.
	 * @param diedAfter the time
	 * @return the filter
	 */
	public MessageFilter diedAfter(Instant diedAfter) {
		return new MessageFilter(this.states, this.id, this.tag, this.headers, this.fields, this.payloadType,
				this.sentAfter, this.sentBefore, this.dueAfter, this.dueBefore, diedAfter, this.diedBefore, this.reason,
				this.exception, this.text, this.minFailures);
	}

	/**
	 * Chooses dead ones that died before a time, by the clock of Redis.
	 * @param diedBefore the time
	 * @return the filter
	 */
	public MessageFilter diedBefore(Instant diedBefore) {
		return new MessageFilter(this.states, this.id, this.tag, this.headers, this.fields, this.payloadType,
				this.sentAfter, this.sentBefore, this.dueAfter, this.dueBefore, this.diedAfter, diedBefore, this.reason,
				this.exception, this.text, this.minFailures);
	}

	/**
	 * Chooses those that are dead for a reason.
	 * @param reason the reason
	 * @return the filter
	 */
	public MessageFilter reason(DeathReason reason) {
		return new MessageFilter(this.states, this.id, this.tag, this.headers, this.fields, this.payloadType,
				this.sentAfter, this.sentBefore, this.dueAfter, this.dueBefore, this.diedAfter, this.diedBefore, reason,
				this.exception, this.text, this.minFailures);
	}

	/**
	 * Chooses those that died of a failure of a type, or whose last attempt ended in one.
	 * @param exception the name of the type, as in {@link Class#getName()}; {@code ""}
	 * for those of whose failure no type is known
	 * @return the filter
	 */
	public MessageFilter exception(String exception) {
		return new MessageFilter(this.states, this.id, this.tag, this.headers, this.fields, this.payloadType,
				this.sentAfter, this.sentBefore, this.dueAfter, this.dueBefore, this.diedAfter, this.diedBefore,
				this.reason, exception, this.text, this.minFailures);
	}

	/**
	 * Chooses those that died of a failure with a text in its message, or whose last
	 * attempt ended in one.
	 * @param text what {@link io.redelay.queue.FailedAttempt#message()} contains
	 * @return the filter
	 */
	public MessageFilter text(String text) {
		return new MessageFilter(this.states, this.id, this.tag, this.headers, this.fields, this.payloadType,
				this.sentAfter, this.sentBefore, this.dueAfter, this.dueBefore, this.diedAfter, this.diedBefore,
				this.reason, this.exception, text, this.minFailures);
	}

	/**
	 * Chooses those whose handling has failed several times.
	 * @param minFailures how often at least
	 * @return the filter
	 */
	public MessageFilter minFailures(int minFailures) {
		return new MessageFilter(this.states, this.id, this.tag, this.headers, this.fields, this.payloadType,
				this.sentAfter, this.sentBefore, this.dueAfter, this.dueBefore, this.diedAfter, this.diedBefore,
				this.reason, this.exception, this.text, minFailures);
	}

	/**
	 * Returns whether it chooses all messages.
	 * @return whether nothing is set
	 */
	public boolean isAll() {
		return equals(all());
	}

	private static Map<String, String> with(Map<String, String> map, String name, String value) {
		Map<String, String> more = new LinkedHashMap<>(map);
		more.put(name, value);
		return more;
	}

}
