package io.redelay.queue.actuate;

import java.util.LinkedHashMap;
import java.util.Map;

import io.redelay.queue.admin.LimitsChange;
import io.redelay.queue.admin.QueueLimit;
import org.jspecify.annotations.Nullable;

/**
 * The parameters of a request to change the limits of a queue, as text. An empty text
 * removes a limit, so that the declared one holds again.
 *
 * @param parameters the parameters
 */
record LimitParameters(RequestParameters parameters) {

	/**
	 * The limits that are set, for the audit trail.
	 */
	Map<String, @Nullable String> given() {
		Map<String, @Nullable String> given = new LinkedHashMap<>();
		for (QueueLimit limit : QueueLimit.values()) {
			given.put(limit.attribute(), value(limit));
		}
		return given;
	}

	private @Nullable String value(QueueLimit limit) {
		return this.parameters.get(limit.attribute());
	}

	/**
	 * The change that is meant.
	 */
	LimitsChange toChange() {
		LimitsChange change = LimitsChange.none();
		for (QueueLimit limit : QueueLimit.values()) {
			String value = value(limit);
			if (value != null && value.isBlank()) {
				change = change.clear(limit);
			}
			else if (value != null) {
				change = set(change, limit, String.valueOf(Parameters.text(limit.attribute(), value)));
			}
		}
		if (change.isEmpty()) {
			throw RequestException.badParameter(QueueLimit.RATE_LIMIT.attribute(),
					"'rateLimit', 'maxInFlight', 'keyRateLimit', 'keyMaxInFlight' or 'orderingKeyMaxLength' is missing:"
							+ " say what to change");
		}
		return change;
	}

	private static LimitsChange set(LimitsChange change, QueueLimit limit, String value) {
		try {
			return change.set(limit, value);
		}
		catch (IllegalArgumentException ex) {
			throw RequestException.badParameter(limit.attribute(), String.valueOf(ex.getMessage()));
		}
	}

}
