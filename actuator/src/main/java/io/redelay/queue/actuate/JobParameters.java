package io.redelay.queue.actuate;

import java.time.Duration;
import java.time.Instant;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;

import io.redelay.queue.admin.BulkAction;
import io.redelay.queue.admin.BulkRequest;
import io.redelay.queue.admin.MessageFilter;
import org.jspecify.annotations.Nullable;

/**
 * The parameters of a request to start a job, as text.
 *
 * @param action the action on each message
 * @param filter the filter of the messages
 * @param perSecond how many messages a second
 * @param limit how many messages at most
 * @param delay for {@code reschedule}: how long from now
 * @param due for {@code reschedule}: the new time
 * @param why for {@code bury}: the reason
 * @param change for {@code change}: the changes
 * @param confirm the name of the queue, where that is required
 * @since 0.1.0
 */
public record JobParameters(@Nullable String action, FilterParameters filter, @Nullable String perSecond,
		@Nullable String limit, @Nullable String delay, @Nullable String due, @Nullable String why,
		ChangeParameters change, @Nullable String confirm) {

	/**
	 * Returns the job to start.
	 * @param queue the queue
	 * @param user the user who starts it
	 */
	BulkRequest toRequest(String queue, String user) {
		BulkAction wanted = Parameters.word("action", this.action, EnumSet.allOf(BulkAction.class));
		if (wanted == null) {
			throw RequestException.badParameter("action",
					"'action' is missing: it is CANCEL, REDRIVE, RUN, BURY, DELETE, CHANGE or RESCHEDULE");
		}
		MessageFilter chosen = this.filter.toFilter();
		chosen.states().forEach((state) -> {
			if (!wanted.takes(state)) {
				throw RequestException.badParameter("state",
						"'state' must not be " + state + ": " + wanted + " does nothing to such messages");
			}
		});
		if (wanted == BulkAction.DELETE || !namesSome(chosen)) {
			confirm(queue);
		}
		BulkRequest request = BulkRequest.of(wanted, chosen)
			.startedBy(AuditTrail.plain(user.substring(0, Math.min(200, user.length()))));
		return special(wanted, bounded(request));
	}

	/**
	 * Whether a filter names more than states and times, by which all messages may be
	 * meant: {@code olderThan=0s} chooses each.
	 */
	private static boolean namesSome(MessageFilter filter) {
		return filter.id() != null || filter.tag() != null || !filter.headers().isEmpty() || !filter.fields().isEmpty()
				|| filter.payloadType() != null || filter.reason() != null || filter.exception() != null
				|| filter.text() != null || filter.minFailures() > 0;
	}

	private void confirm(String queue) {
		if (!queue.equals(this.confirm)) {
			throw RequestException.badParameter("confirm",
					"'confirm' must be the name of the queue, " + ErrorView.quote(queue)
							+ ": what is deleted is gone, and a filter of states and times only may mean all messages");
		}
	}

	private BulkRequest bounded(BulkRequest request) {
		BulkRequest bounded = request;
		if (isSet(this.perSecond)) {
			bounded = bounded.perSecond(rate(Objects.requireNonNull(this.perSecond)));
		}
		if (isSet(this.limit)) {
			bounded = bounded.limit(Parameters.number("limit", this.limit, 1, Integer.MAX_VALUE, 1));
		}
		return bounded;
	}

	private static double rate(String value) {
		try {
			double rate = Double.parseDouble(value);
			if (rate >= 0.1 && rate <= 100_000) {
				return rate;
			}
		}
		catch (NumberFormatException ex) {
			// refused below
		}
		throw RequestException.badParameter("perSecond",
				"'perSecond' must be a number from 0.1 to 100000: " + ErrorView.quote(value));
	}

	private BulkRequest special(BulkAction wanted, BulkRequest request) {
		Duration after = Parameters.duration("delay", this.delay);
		Instant at = Parameters.instant("due", this.due);
		refuse("delay", after != null && wanted != BulkAction.RESCHEDULE, "is for RESCHEDULE only");
		refuse("due", at != null && wanted != BulkAction.RESCHEDULE, "is for RESCHEDULE only");
		refuse("due", at != null && after != null, "must not be given together with 'delay'");
		refuse("delay", at == null && after == null && wanted == BulkAction.RESCHEDULE, "or 'due' is missing");
		refuse("reason", isSet(this.why) && wanted != BulkAction.BURY, "is for BURY only");
		BulkRequest special = request;
		if (after != null) {
			special = special.delay(after);
		}
		if (at != null) {
			special = special.due(at);
		}
		String reason = Parameters.text("reason", this.why);
		if (wanted == BulkAction.BURY && reason != null && !reason.isBlank()) {
			special = special.reason(reason);
		}
		refuse("payload", wanted != BulkAction.CHANGE && !this.change.isEmpty(),
				", 'attempts', 'failures' and 'priority' are for CHANGE only");
		return (wanted == BulkAction.CHANGE) ? special.change(this.change.toChange()) : special;
	}

	private static void refuse(String name, boolean isWrong, String why) {
		if (isWrong) {
			throw RequestException.badParameter(name, "'" + name + "' " + why);
		}
	}

	private static boolean isSet(@Nullable String value) {
		return value != null && !value.isEmpty();
	}

	/**
	 * The parameters that are set, for the audit trail.
	 */
	Map<String, @Nullable String> given(String queue) {
		Map<String, @Nullable String> given = new LinkedHashMap<>();
		given.put("queue", queue);
		given.put("job", this.action);
		given.put("state", this.filter.state());
		given.put("id", this.filter.id());
		given.put("tag", this.filter.tag());
		given.put("header", this.filter.header());
		given.put("field", this.filter.field());
		given.put("type", this.filter.type());
		given.put("reason", (this.why != null) ? this.why : this.filter.reason());
		given.put("exception", this.filter.exception());
		given.put("text", this.filter.text());
		given.put("sentBefore", this.filter.sentBefore());
		given.put("sentAfter", this.filter.sentAfter());
		given.put("dueBefore", this.filter.dueBefore());
		given.put("dueAfter", this.filter.dueAfter());
		given.put("olderThan", this.filter.olderThan());
		given.put("minFailures", this.filter.minFailures());
		given.put("perSecond", this.perSecond);
		given.put("limit", this.limit);
		given.put("delay", this.delay);
		given.put("due", this.due);
		this.change.describe(given);
		return given;
	}

}
