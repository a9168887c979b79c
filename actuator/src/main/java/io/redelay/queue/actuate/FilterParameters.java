package io.redelay.queue.actuate;

import java.time.Duration;
import java.time.Instant;
import java.util.EnumSet;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Stream;

import io.redelay.queue.DeathReason;
import io.redelay.queue.MessageState;
import io.redelay.queue.admin.MessageFilter;
import io.redelay.queue.limits.TagName;
import org.jspecify.annotations.Nullable;

/**
 * The parameters of a request that choose among messages, as they came.
 *
 * @param state states, separated by commas
 * @param id an id or uid
 * @param tag a tag
 * @param header a header and its value, as in {@code tenant:7}
 * @param field a JSON pointer into the payload and the value there, as in
 * {@code /customer/id:7}
 * @param type the name of the payload's type
 * @param reason why messages are dead
 * @param exception the type of their failure; {@code -} for those without one
 * @param text a part of the text of their failure
 * @param sentBefore the time they were sent before
 * @param sentAfter the earliest time they were sent
 * @param dueBefore the time they are due before
 * @param dueAfter the earliest time they are due
 * @param olderThan how long ago they were sent at least
 * @param minFailures how often their handling has failed at least
 * @since 0.1.0
 */
public record FilterParameters(@Nullable String state, @Nullable String id, @Nullable String tag,
		@Nullable String header, @Nullable String field, @Nullable String type, @Nullable String reason,
		@Nullable String exception, @Nullable String text, @Nullable String sentBefore, @Nullable String sentAfter,
		@Nullable String dueBefore, @Nullable String dueAfter, @Nullable String olderThan,
		@Nullable String minFailures) {

	static final Set<MessageState> STATES = EnumSet.complementOf(EnumSet.of(MessageState.UNKNOWN));

	private static final String NONE = "-";

	/**
	 * Whether more is requested than messages in one state.
	 */
	boolean isSearch() {
		return Stream
			.of(this.id, this.tag, this.header, this.field, this.type, this.reason, this.exception, this.text,
					this.sentBefore, this.sentAfter, this.dueBefore, this.dueAfter, this.olderThan, this.minFailures)
			.anyMatch(Objects::nonNull) || (this.state != null && this.state.indexOf(',') >= 0);
	}

	/**
	 * Whether the content of messages is looked at, which not every user may.
	 */
	boolean looksInside() {
		return isSet(this.header) || isSet(this.field);
	}

	/**
	 * The parameters without those that look at the content of messages.
	 */
	FilterParameters outside() {
		return new FilterParameters(this.state, this.id, this.tag, null, null, this.type, this.reason, this.exception,
				this.text, this.sentBefore, this.sentAfter, this.dueBefore, this.dueAfter, this.olderThan,
				this.minFailures);
	}

	/**
	 * Whether they choose all messages.
	 */
	boolean isEmpty() {
		return toFilter().isAll();
	}

	private static boolean isSet(@Nullable String value) {
		return value != null && !value.isEmpty();
	}

	/**
	 * The filter that they mean.
	 */
	MessageFilter toFilter() {
		MessageFilter filter = MessageFilter.all().states(Parameters.words("state", this.state, STATES));
		String id = Parameters.text("id", this.id);
		if (id != null) {
			filter = filter.id(id);
		}
		String tag = Parameters.text("tag", this.tag);
		if (tag != null) {
			String problem = TagName.problem(tag);
			if (problem != null) {
				throw RequestException.badParameter("tag", "'tag' " + problem + ": " + ErrorView.quote(tag));
			}
			filter = filter.tag(tag);
		}
		String type = Parameters.text("type", this.type);
		if (type != null) {
			filter = filter.payloadType(type);
		}
		return failure(times(inside(filter)));
	}

	private MessageFilter inside(MessageFilter filter) {
		MessageFilter inside = filter;
		String header = Parameters.text("header", this.header);
		if (header != null) {
			int colon = colon("header", header, "tenant:7");
			inside = inside.header(header.substring(0, colon), header.substring(colon + 1));
		}
		String field = Parameters.text("field", this.field);
		if (field != null) {
			int colon = colon("field", field, "/customer/id:7");
			if (!field.startsWith("/")) {
				throw RequestException.badParameter("field",
						"'field' must begin with a JSON pointer, as in /customer/id:7: " + ErrorView.quote(field));
			}
			inside = inside.field(field.substring(0, colon), field.substring(colon + 1));
		}
		return inside;
	}

	private static int colon(String name, String value, String example) {
		int colon = value.indexOf(':');
		if (colon < 1) {
			throw RequestException.badParameter(name, "'" + name + "' must be a name and a value with a colon between,"
					+ " as in " + example + ": " + ErrorView.quote(value));
		}
		return colon;
	}

	private MessageFilter times(MessageFilter filter) {
		MessageFilter times = filter;
		Instant sentAfter = Parameters.instant("sentAfter", this.sentAfter);
		if (sentAfter != null) {
			times = times.sentAfter(sentAfter);
		}
		Instant sentBefore = Parameters.instant("sentBefore", this.sentBefore);
		Duration olderThan = Parameters.duration("olderThan", this.olderThan);
		if (olderThan != null) {
			Instant sent = Instant.now().minus(olderThan);
			sentBefore = (sentBefore == null || sent.isBefore(sentBefore)) ? sent : sentBefore;
		}
		if (sentBefore != null) {
			times = times.sentBefore(sentBefore);
		}
		Instant dueAfter = Parameters.instant("dueAfter", this.dueAfter);
		if (dueAfter != null) {
			times = times.dueAfter(dueAfter);
		}
		Instant dueBefore = Parameters.instant("dueBefore", this.dueBefore);
		return (dueBefore != null) ? times.dueBefore(dueBefore) : times;
	}

	private MessageFilter failure(MessageFilter filter) {
		MessageFilter failure = filter
			.minFailures(Parameters.number("minFailures", this.minFailures, 0, Integer.MAX_VALUE, 0));
		DeathReason reason = Parameters.word("reason", this.reason, EnumSet.allOf(DeathReason.class));
		if (reason != null) {
			failure = failure.reason(reason);
		}
		String exception = Parameters.text("exception", this.exception);
		if (exception != null) {
			failure = failure.exception(exception.equals(NONE) ? "" : exception);
		}
		String text = Parameters.text("text", this.text);
		return (text != null) ? failure.text(text) : failure;
	}

}
