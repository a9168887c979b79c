package io.redelay.queue.actuate;

import java.util.Map;
import java.util.stream.Stream;

import io.redelay.queue.admin.MessageChange;
import org.jspecify.annotations.Nullable;

/**
 * The parameters of a request to change messages, as text.
 *
 * @param payload the new payload
 * @param attempts how often they are delivered from now on
 * @param failures how many failures count
 * @param priority the new priority
 * @since 0.1.0
 */
public record ChangeParameters(@Nullable String payload, @Nullable String attempts, @Nullable String failures,
		@Nullable String priority) {

	private static final int MOST = 1_000_000;

	/**
	 * Adds the parameters that are set, for the audit trail; of the payload, which may be
	 * secret, only that it is set.
	 */
	void describe(Map<String, @Nullable String> asked) {
		asked.put("payload", (this.payload != null) ? "changed" : null);
		asked.put("attempts", this.attempts);
		asked.put("failures", this.failures);
		asked.put("priority", this.priority);
	}

	boolean isEmpty() {
		return Stream.of(this.payload, this.attempts, this.failures, this.priority).allMatch((value) -> value == null);
	}

	/**
	 * The change that is meant.
	 */
	MessageChange toChange() {
		MessageChange change = MessageChange.none();
		if (this.payload != null) {
			change = change.payload(this.payload);
		}
		if (this.attempts != null) {
			change = change.attempts(Parameters.number("attempts", this.attempts, 1, MOST, 1));
		}
		if (this.failures != null) {
			change = change.failures(Parameters.number("failures", this.failures, 0, MOST, 0));
		}
		if (this.priority != null) {
			change = change.priority(Parameters.number("priority", this.priority, 0, 9, 0));
		}
		if (change.isEmpty()) {
			throw RequestException.badParameter("payload",
					"'payload', 'attempts', 'failures' or 'priority' is missing: say what to change");
		}
		return change;
	}

}
