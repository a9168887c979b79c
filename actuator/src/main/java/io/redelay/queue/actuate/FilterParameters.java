package io.redelay.queue.actuate;

import java.time.Duration;
import java.time.Instant;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Supplier;

import io.redelay.queue.DeathReason;
import io.redelay.queue.MessageState;
import io.redelay.queue.admin.MessageFilter;
import io.redelay.queue.limits.TagName;
import org.jspecify.annotations.Nullable;

import org.springframework.util.StringUtils;

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
	 * Adds the parameters, for the audit trail: those of what is masked without their
	 * values.
	 */
	void describe(Map<String, @Nullable String> asked, MessageMasking masking) {
		asked.put("state", state());
		OTHERS.forEach((name) -> asked.put(name, this.given.get(name)));
		asked.computeIfPresent("header", (name, value) -> masking.pair(value, MessageFilter.all()::header));
		asked.computeIfPresent("field", (name, value) -> masking.pair(value, MessageFilter.all()::field));
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
		return StringUtils.hasLength(this.given.get("header")) || StringUtils.hasLength(this.given.get("field"));
	}

	/**
	 * The parameters without those that look at the content of messages.
	 */
	FilterParameters outside() {
		return new FilterParameters(this.given.without("header", "field"));
	}

	/**
	 * The filter that they mean.
	 * @param now what time it is by the clock of Redis, which messages have their times
	 * from
	 */
	MessageFilter toFilter(Supplier<Instant> now) {
		MessageFilter filter = MessageFilter.all().states(Parameters.words("state", this.given.get("state"), STATES));
		filter = Parameters.with(filter, this.given.text("id"), MessageFilter::id);
		filter = Parameters.with(filter, tag(), MessageFilter::tag);
		filter = Parameters.with(filter, this.given.text("type"), MessageFilter::payloadType);
		return failure(times(inside(filter), now));
	}

	private @Nullable String tag() {
		String tag = this.given.text("tag");
		String problem = (tag != null) ? TagName.problem(tag) : null;
		if (problem != null) {
			throw RequestException.badParameter("tag",
					"'tag' " + problem + ": " + ErrorView.quote(String.valueOf(tag)));
		}
		return tag;
	}

	private MessageFilter inside(MessageFilter filter) {
		MessageFilter inside = filter;
		String header = this.given.text("header");
		if (header != null) {
			int colon = colon("header", header, "tenant:7");
			inside = inside.header(header.substring(0, colon), header.substring(colon + 1));
		}
		String field = this.given.text("field");
		if (field != null) {
			int colon = colon("field", field, "/customer/id:7");
			if (!field.startsWith("/")) {
				throw RequestException.badParameter("field",
						"'field' must begin with a JSON pointer, as in /customer/id:7: "
								+ ErrorView.quote(field.substring(0, colon)));
			}
			inside = inside.field(field.substring(0, colon), field.substring(colon + 1));
		}
		return inside;
	}

	private static int colon(String name, String value, String example) {
		int colon = value.indexOf(':');
		if (colon < 1) {
			throw RequestException.badParameter(name,
					"'" + name + "' must be a name and a value with a colon between," + " as in " + example);
		}
		return colon;
	}

	private MessageFilter times(MessageFilter filter, Supplier<Instant> now) {
		MessageFilter times = Parameters.with(filter, this.given.instant("sentAfter"), MessageFilter::sentAfter);
		Instant sentBefore = this.given.instant("sentBefore");
		Duration olderThan = this.given.duration("olderThan");
		if (olderThan != null) {
			Instant sent = now.get().minus(olderThan);
			sentBefore = (sentBefore == null || sent.isBefore(sentBefore)) ? sent : sentBefore;
		}
		times = Parameters.with(times, sentBefore, MessageFilter::sentBefore);
		times = Parameters.with(times, this.given.instant("dueAfter"), MessageFilter::dueAfter);
		return Parameters.with(times, this.given.instant("dueBefore"), MessageFilter::dueBefore);
	}

	private MessageFilter failure(MessageFilter filter) {
		MessageFilter failure = Parameters.with(filter, this.given.number("minFailures", 0, Integer.MAX_VALUE),
				MessageFilter::minFailures);
		failure = Parameters.with(failure,
				Parameters.word("reason", this.given.get("reason"), EnumSet.allOf(DeathReason.class)),
				MessageFilter::reason);
		String exception = this.given.text("exception");
		failure = Parameters.with(failure, NONE.equals(exception) ? "" : exception, MessageFilter::exception);
		return Parameters.with(failure, this.given.text("text"), MessageFilter::text);
	}

}
