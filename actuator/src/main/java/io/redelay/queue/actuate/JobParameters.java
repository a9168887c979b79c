package io.redelay.queue.actuate;

import java.time.Duration;
import java.time.Instant;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;

import io.redelay.queue.admin.BulkAction;
import io.redelay.queue.admin.BulkRequest;
import io.redelay.queue.admin.MessageFilter;
import org.jspecify.annotations.Nullable;

import org.springframework.util.StringUtils;

/**
 * The parameters of a request to start a job, as text. The {@code reason} is why a job
 * buries messages, and else why the messages are dead.
 *
 * @param given the parameters
 */
record JobParameters(RequestParameters given) {

	FilterParameters filter() {
		return new FilterParameters(buries() ? this.given.without("reason") : this.given);
	}

	private ChangeParameters change() {
		return new ChangeParameters(this.given);
	}

	private @Nullable String why() {
		return buries() ? this.given.get("reason") : null;
	}

	private boolean buries() {
		return "bury".equalsIgnoreCase(this.given.get("action"));
	}

	/**
	 * Returns the job to start.
	 * @param queue the queue
	 * @param user the user who starts it
	 * @param now what time it is by the clock of Redis
	 */
	BulkRequest toRequest(String queue, String user, Supplier<Instant> now) {
		BulkAction wanted = Parameters.word("action", this.given.get("action"), EnumSet.allOf(BulkAction.class));
		if (wanted == null) {
			throw RequestException.badParameter("action",
					"'action' is missing: it is CANCEL, REDRIVE, RUN, BURY, DELETE, CHANGE or RESCHEDULE");
		}
		MessageFilter chosen = filter().toFilter(now);
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
		if (!queue.equals(this.given.get("confirm"))) {
			throw RequestException.badParameter("confirm",
					"'confirm' must be the name of the queue, " + ErrorView.quote(queue)
							+ ": what is deleted is gone, and a filter of states and times only may mean all messages");
		}
	}

	private BulkRequest bounded(BulkRequest request) {
		String perSecond = this.given.get("perSecond");
		BulkRequest bounded = (perSecond != null && !perSecond.isEmpty()) ? request.perSecond(rate(perSecond))
				: request;
		return StringUtils.hasLength(this.given.get("limit"))
				? Parameters.with(bounded, this.given.number("limit", 1, Integer.MAX_VALUE), BulkRequest::limit)
				: bounded;
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
		Duration after = this.given.duration("delay");
		Instant at = this.given.instant("due");
		refuse("delay", after != null && wanted != BulkAction.RESCHEDULE, "is for RESCHEDULE only");
		refuse("due", at != null && wanted != BulkAction.RESCHEDULE, "is for RESCHEDULE only");
		refuse("due", at != null && after != null, "must not be given together with 'delay'");
		refuse("delay", at == null && after == null && wanted == BulkAction.RESCHEDULE, "or 'due' is missing");
		Duration spread = this.given.duration("spread");
		refuse("spread", spread != null && wanted != BulkAction.RESCHEDULE, "is for RESCHEDULE only");
		refuse("reason", StringUtils.hasLength(why()) && wanted != BulkAction.BURY, "is for BURY only");
		BulkRequest special = Parameters.with(request, after, BulkRequest::delay);
		special = Parameters.with(special, at, BulkRequest::due);
		special = Parameters.with(special, spread, JobParameters::spread);
		String reason = Parameters.text("reason", why());
		if (wanted == BulkAction.BURY && reason != null && !reason.isBlank()) {
			special = special.reason(reason);
		}
		refuse("payload", wanted != BulkAction.CHANGE && !change().isEmpty(),
				", 'attempts', 'failures' and 'priority' are for CHANGE only");
		return (wanted == BulkAction.CHANGE) ? special.change(change().toChange()) : special;
	}

	private static BulkRequest spread(BulkRequest request, Duration spread) {
		try {
			return request.spread(spread);
		}
		catch (IllegalArgumentException ex) {
			throw RequestException.badParameter("spread", String.valueOf(ex.getMessage()));
		}
	}

	private static void refuse(String name, boolean isWrong, String why) {
		if (isWrong) {
			throw RequestException.badParameter(name, "'" + name + "' " + why);
		}
	}

	/**
	 * The parameters that are set, for the audit trail.
	 */
	Map<String, @Nullable String> given(String queue, MessageMasking masking) {
		Map<String, @Nullable String> asked = new LinkedHashMap<>();
		asked.put("queue", queue);
		asked.put("job", this.given.get("action"));
		filter().describe(asked, masking);
		List.of("reason", "perSecond", "limit", "delay", "due", "spread")
			.forEach((name) -> asked.put(name, this.given.get(name)));
		change().describe(asked);
		return asked;
	}

}
