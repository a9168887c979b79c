package io.redelay.queue.actuate;

import java.util.Map;
import java.util.stream.Stream;

import io.redelay.queue.admin.MessageChange;
import org.jspecify.annotations.Nullable;

/**
 * The parameters of a request to change messages, as text.
 *
 * @param given the parameters
 */
record ChangeParameters(RequestParameters given) {

	private static final int MOST = 1_000_000;

	/**
	 * Adds the parameters that are set, for the audit trail; of the payload, which may be
	 * secret, only that it is set.
	 */
	void describe(Map<String, @Nullable String> asked) {
		asked.put("payload", (this.given.get("payload") != null) ? "changed" : null);
		asked.put("attempts", this.given.get("attempts"));
		asked.put("failures", this.given.get("failures"));
		asked.put("priority", this.given.get("priority"));
	}

	boolean isEmpty() {
		return Stream.of("payload", "attempts", "failures", "priority")
			.allMatch((name) -> this.given.get(name) == null);
	}

	/**
	 * The change that is meant.
	 */
	MessageChange toChange() {
		MessageChange change = Parameters.with(MessageChange.none(), this.given.get("payload"), MessageChange::payload);
		change = Parameters.with(change, this.given.number("attempts", 1, MOST), MessageChange::attempts);
		change = Parameters.with(change, this.given.number("failures", 0, MOST), MessageChange::failures);
		change = Parameters.with(change, this.given.number("priority", 0, 9), MessageChange::priority);
		if (change.isEmpty()) {
			throw RequestException.badParameter("payload",
					"'payload', 'attempts', 'failures' or 'priority' is missing: say what to change");
		}
		return change;
	}

}
