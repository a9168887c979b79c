package io.redelay.queue.admin.engine.message;

import java.time.Instant;
import java.util.List;
import java.util.Map;

import io.redelay.queue.FailedAttempt;
import io.redelay.queue.MessageState;
import io.redelay.queue.admin.MessageFilter;
import io.redelay.queue.admin.QueuedMessage;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * Checks whether a {@link MessageFilter} chooses a message.
 *
 * @param filter the filter
 * @since 0.1.0
 */
public record MessageMatcher(MessageFilter filter) {

	/**
	 * Returns whether a message is chosen. The most expensive checks come last.
	 * @param message the message
	 * @return {@code true} if it is
	 */
	public boolean matches(QueuedMessage message) {
		return matchesState(message) && matchesTimes(message) && matchesFailure(message)
				&& matchesContent(message.headers(), message.payload());
	}

	/**
	 * Returns whether headers and payload match the filter.
	 * @param headers the headers
	 * @param payload the payload
	 * @return {@code true} if they do
	 */
	public boolean matchesContent(Map<String, Object> headers, byte[] payload) {
		return matchesHeaders(headers) && matchesFields(payload);
	}

	private boolean matchesState(QueuedMessage message) {
		return (this.filter.states().isEmpty() || this.filter.states().contains(message.state()))
				&& (this.filter.id() == null || this.filter.id().equals(message.id())
						|| this.filter.id().equals(message.uid()))
				&& (this.filter.tag() == null || message.tags().contains(this.filter.tag()))
				&& (this.filter.payloadType() == null || this.filter.payloadType().equals(message.payloadType()));
	}

	private boolean matchesTimes(QueuedMessage message) {
		boolean died = this.filter.diedAfter() != null || this.filter.diedBefore() != null;
		return isBetween(this.filter.sentAfter(), message.sentAt(), this.filter.sentBefore())
				&& isBetween(this.filter.dueAfter(), message.dueAt(), this.filter.dueBefore())
				&& (!died || (message.state() == MessageState.DEAD && message.diedAt() != null
						&& isBetween(this.filter.diedAfter(), message.diedAt(), this.filter.diedBefore())));
	}

	private static boolean isBetween(@Nullable Instant from, Instant time, @Nullable Instant until) {
		return (from == null || !time.isBefore(from)) && (until == null || time.isBefore(until));
	}

	private boolean matchesFailure(QueuedMessage message) {
		if (message.failures() < this.filter.minFailures()) {
			return false;
		}
		if (this.filter.reason() == null && this.filter.exception() == null && this.filter.text() == null) {
			return true;
		}
		FailedAttempt failure = failure(message);
		return failure != null
				&& (this.filter.reason() == null
						|| (message.state() == MessageState.DEAD && this.filter.reason() == failure.reason()))
				&& (this.filter.exception() == null
						|| this.filter.exception().equals((failure.exception() != null) ? failure.exception() : ""))
				&& (this.filter.text() == null
						|| (failure.message() != null && failure.message().contains(this.filter.text())));
	}

	private static @Nullable FailedAttempt failure(QueuedMessage message) {
		List<FailedAttempt> history = message.history();
		return (message.death() != null) ? message.death() : history.isEmpty() ? null : history.get(history.size() - 1);
	}

	private boolean matchesHeaders(Map<String, Object> headers) {
		return this.filter.headers()
			.entrySet()
			.stream()
			.allMatch((header) -> header.getValue().equals(String.valueOf(headers.get(header.getKey()))));
	}

	private boolean matchesFields(byte[] payload) {
		if (this.filter.fields().isEmpty()) {
			return true;
		}
		try {
			JsonNode root = JsonMapper.shared().readTree(payload);
			return this.filter.fields()
				.entrySet()
				.stream()
				.allMatch((field) -> matches(root.at(field.getKey()), field.getValue()));
		}
		catch (JacksonException ex) {
			return false;
		}
	}

	private static boolean matches(JsonNode node, String value) {
		if (node.isArray()) {
			return node.values().stream().anyMatch((element) -> isValue(element, value));
		}
		return isValue(node, value);
	}

	private static boolean isValue(JsonNode node, String value) {
		return node.isNull() ? value.equals("null") : node.isValueNode() && value.equals(node.asString());
	}

}
