package io.redelay.queue.actuate;

import java.time.Duration;
import java.time.Instant;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

import io.redelay.queue.DeathReason;
import io.redelay.queue.MessageState;
import io.redelay.queue.admin.MessageFilter;
import io.redelay.queue.limits.TagName;
import org.jspecify.annotations.Nullable;

/**
 * The parameters of a request that choose among messages, as they came: {@code state} is
 * states, separated by commas; {@code header} a header and its value, as in
 * {@code tenant:7}; {@code field} a JSON pointer into the payload and the value there, as
 * in {@code /customer/id:7}; and {@code exception} may be {@code -} for messages that
 * died without one.
 *
 * @param given the parameters
 */
record FilterParameters(RequestParameters given) {

	private static final List<String> OTHERS = List.of("id", "tag", "header", "field", "type", "reason", "exception",
			"text", "sentBefore", "sentAfter", "dueBefore", "dueAfter", "olderThan", "minFailures");

	static final Set<MessageState> STATES = EnumSet.complementOf(EnumSet.of(MessageState.UNKNOWN));

	private static final String NONE = "-";

	@Nullable String state() {
		return this.given.get("state");
	}

	/**
	 * Adds the parameters, for the audit trail.
	 */
	void describe(Map<String, @Nullable String> asked) {
		asked.put("state", state());
		OTHERS.forEach((name) -> asked.put(name, this.given.get(name)));
	}

	/**
	 * Whether more is requested than messages in one state.
	 */
	boolean isSearch() {
		String state = state();
		return OTHERS.stream().anyMatch((name) -> this.given.get(name) != null)
				|| (state != null && state.indexOf(',') >= 0);
	}

	/**
	 * Whether the content of messages is looked at, which not every user may.
	 */
	boolean looksInside() {
		return isSet(this.given.get("header")) || isSet(this.given.get("field"));
	}

	/**
	 * The parameters without those that look at the content of messages.
	 */
	FilterParameters outside() {
		return new FilterParameters(this.given.without("header", "field"));
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
		MessageFilter filter = MessageFilter.all().states(Parameters.words("state", this.given.get("state"), STATES));
		String id = Parameters.text("id", this.given.get("id"));
		if (id != null) {
			filter = filter.id(id);
		}
		String tag = Parameters.text("tag", this.given.get("tag"));
		if (tag != null) {
			String problem = TagName.problem(tag);
			if (problem != null) {
				throw RequestException.badParameter("tag", "'tag' " + problem + ": " + ErrorView.quote(tag));
			}
			filter = filter.tag(tag);
		}
		String type = Parameters.text("type", this.given.get("type"));
		if (type != null) {
			filter = filter.payloadType(type);
		}
		return failure(times(inside(filter)));
	}

	private MessageFilter inside(MessageFilter filter) {
		MessageFilter inside = filter;
		String header = Parameters.text("header", this.given.get("header"));
		if (header != null) {
			int colon = colon("header", header, "tenant:7");
			inside = inside.header(header.substring(0, colon), header.substring(colon + 1));
		}
		String field = Parameters.text("field", this.given.get("field"));
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
		Instant sentAfter = Parameters.instant("sentAfter", this.given.get("sentAfter"));
		if (sentAfter != null) {
			times = times.sentAfter(sentAfter);
		}
		Instant sentBefore = Parameters.instant("sentBefore", this.given.get("sentBefore"));
		Duration olderThan = Parameters.duration("olderThan", this.given.get("olderThan"));
		if (olderThan != null) {
			Instant sent = Instant.now().minus(olderThan);
			sentBefore = (sentBefore == null || sent.isBefore(sentBefore)) ? sent : sentBefore;
		}
		if (sentBefore != null) {
			times = times.sentBefore(sentBefore);
		}
		Instant dueAfter = Parameters.instant("dueAfter", this.given.get("dueAfter"));
		if (dueAfter != null) {
			times = times.dueAfter(dueAfter);
		}
		Instant dueBefore = Parameters.instant("dueBefore", this.given.get("dueBefore"));
		return (dueBefore != null) ? times.dueBefore(dueBefore) : times;
	}

	private MessageFilter failure(MessageFilter filter) {
		MessageFilter failure = filter
			.minFailures(Parameters.number("minFailures", this.given.get("minFailures"), 0, Integer.MAX_VALUE, 0));
		DeathReason reason = Parameters.word("reason", this.given.get("reason"), EnumSet.allOf(DeathReason.class));
		if (reason != null) {
			failure = failure.reason(reason);
		}
		String exception = Parameters.text("exception", this.given.get("exception"));
		if (exception != null) {
			failure = failure.exception(exception.equals(NONE) ? "" : exception);
		}
		String text = Parameters.text("text", this.given.get("text"));
		return (text != null) ? failure.text(text) : failure;
	}

}
