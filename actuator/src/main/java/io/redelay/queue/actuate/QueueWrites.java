package io.redelay.queue.actuate;

import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.regex.Pattern;

import io.redelay.queue.MessageState;
import io.redelay.queue.QueueException;
import io.redelay.queue.admin.BulkJob;
import io.redelay.queue.admin.CommandOutcome;
import io.redelay.queue.admin.MessageChange;
import io.redelay.queue.admin.MessageFilter;
import io.redelay.queue.admin.QueueAdmin;
import io.redelay.queue.admin.QueueInfo;
import io.redelay.queue.admin.QueuedMessage;
import io.redelay.queue.admin.UnknownQueueException;
import io.redelay.queue.recurring.RecurringMessages;
import org.jspecify.annotations.Nullable;

import org.springframework.boot.actuate.endpoint.SecurityContext;

/**
 * Acts on queues and messages for the endpoint {@code queues}. A user without the right
 * is refused, and each request is recorded in the {@link AuditTrail}.
 *
 * @since 0.1.0
 */
public final class QueueWrites {

	/**
	 * The form of uids, which users' ids hardly have.
	 */
	private static final Pattern UID = Pattern.compile("[0-9a-z]{12}-[0-9a-z]{6}(\\.tick)?");

	private final QueueAdmin admin;

	private final EndpointRights rights;

	private final AuditTrail audit;

	private final MessageMasking masking;

	private final @Nullable RecurringMessages recurring;

	/**
	 * Creates the writes.
	 * @param admin acts on queues
	 * @param rights the rights of users
	 * @param audit records the actions
	 * @param masking masks messages
	 * @param recurring acts on recurring messages, or {@code null} if there are none
	 */
	public QueueWrites(QueueAdmin admin, EndpointRights rights, AuditTrail audit, MessageMasking masking,
			@Nullable RecurringMessages recurring) {
		this.admin = admin;
		this.rights = rights;
		this.audit = audit;
		this.masking = masking;
		this.recurring = recurring;
	}

	private <T> T follow(SecurityContext user, String action, Map<String, @Nullable String> what, Supplier<T> request,
			Function<T, String> outcome) {
		return this.audit.follow(user, action, what, () -> {
			this.rights.checkWrite(user);
			try {
				return request.get();
			}
			catch (UnknownQueueException ex) {
				throw RequestException.unknownQueue(String.valueOf(what.get("queue")));
			}
		}, outcome);
	}

	private static Map<String, @Nullable String> what(String kind, String name) {
		Map<String, @Nullable String> what = new LinkedHashMap<>();
		what.put(kind, name);
		return what;
	}

	private static Map<String, @Nullable String> what(String kind, String name, String part, @Nullable String of) {
		Map<String, @Nullable String> what = what(kind, name);
		what.put(part, of);
		return what;
	}

	// Queues

	/**
	 * Pauses, resumes, closes or reopens a queue.
	 */
	Object queue(SecurityContext user, String queue, String action) {
		Runnable change = switch (action) {
			case "pause" -> () -> this.admin.control().pause(queue);
			case "resume" -> () -> this.admin.control().resume(queue);
			case "close" -> () -> this.admin.control().close(queue);
			case "reopen" -> () -> this.admin.control().reopen(queue);
			default -> throw RequestException.unknownPath("There is nothing to be done as " + ErrorView.quote(action)
					+ " with a queue: there are pause, resume, close, reopen, limits and jobs");
		};
		return follow(user, action, what("queue", queue), () -> {
			QueueReads.checkQueue(queue);
			change.run();
			QueueInfo info = this.admin.queues().info(queue);
			Map<String, Object> view = new LinkedHashMap<>();
			view.put("queue", queue);
			view.put("paused", info.paused());
			view.put("closed", info.closed());
			return view;
		}, (view) -> "done");
	}

	/**
	 * Changes limits of a queue for all instances.
	 */
	Object changeLimits(SecurityContext user, String queue, LimitParameters parameters) {
		Map<String, @Nullable String> asked = what("queue", queue);
		asked.putAll(parameters.given());
		return follow(user, "change-limits", asked, () -> {
			QueueReads.checkQueue(queue);
			return LimitsView.of(this.admin.limits().change(queue, parameters.toChange()));
		}, (view) -> "done");
	}

	/**
	 * Takes away all limits that are set for all instances.
	 */
	Object clearLimits(SecurityContext user, String queue) {
		return follow(user, "clear-limits", what("queue", queue), () -> {
			QueueReads.checkQueue(queue);
			return LimitsView.of(this.admin.limits().clear(queue));
		}, (view) -> "done");
	}

	/**
	 * Deletes a queue with all its messages.
	 */
	Object deleteQueue(SecurityContext user, String queue, @Nullable String confirm) {
		return follow(user, "delete-queue", what("queue", queue), () -> {
			QueueReads.checkQueue(queue);
			confirm(queue, confirm, "the queue is deleted with all its messages");
			this.admin.control().deleteWithMessages(queue);
			return Map.of("queue", queue, "deleted", true);
		}, (view) -> "done");
	}

	private static void confirm(String name, @Nullable String confirm, String why) {
		if (!name.equals(confirm)) {
			throw RequestException.badParameter("confirm",
					"'confirm' must be the name " + ErrorView.quote(name) + ", for " + why);
		}
	}

	// Messages

	/**
	 * Acts on a message.
	 */
	Object message(SecurityContext user, String queue, String id, String action, RequestParameters parameters) {
		String delay = parameters.get("delay");
		String due = parameters.get("due");
		String reason = parameters.get("reason");
		String claim = parameters.get("claim");
		ChangeParameters change = new ChangeParameters(parameters);
		Map<String, @Nullable String> asked = what("queue", queue, "message", id);
		asked.put("delay", delay);
		asked.put("due", due);
		asked.put("reason", reason);
		asked.put("claim", claim);
		change.describe(asked);
		return command(user, queue, id, action, asked, () -> switch (action) {
			case "cancel" -> this.admin.messages().cancel(queue, id);
			case "interrupt" -> this.admin.handlers().interrupt(queue, id, claim(claim));
			case "run" -> this.admin.messages().runNow(queue, id);
			case "redrive" -> redrive(queue, id, due);
			case "bury" -> this.admin.messages().bury(queue, id, reason(reason, user));
			case "reschedule" -> reschedule(queue, id, delay, due);
			case "change" -> change(queue, id, change);
			default -> throw RequestException.unknownPath("There is nothing to be done as " + ErrorView.quote(action)
					+ " with a message: there are cancel, interrupt, redrive, run, bury, reschedule and change");
		});
	}

	/**
	 * Deletes a message. One that was redriven or rescheduled meanwhile is another one by
	 * then.
	 */
	Object deleteMessage(SecurityContext user, String queue, String id) {
		return command(user, queue, id, "delete", what("queue", queue, "message", id), () -> {
			QueuedMessage message = this.admin.messages()
				.find(queue, id)
				.orElseThrow(() -> RequestException.unknownMessage(queue, id));
			if (UID.matcher(id).matches() && !message.uid().equals(id)) {
				throw new QueueException("The message '" + id + "' was redriven or rescheduled: it is "
						+ message.state() + " and has the uid '" + message.uid() + "' now");
			}
			return this.admin.messages().delete(queue, message.uid(), message.state());
		});
	}

	private Object command(SecurityContext user, String queue, String id, String action,
			Map<String, @Nullable String> asked, Supplier<CommandOutcome> command) {
		return follow(user, action, asked, () -> {
			QueueReads.checkQueue(queue);
			if (!Parameters.isId(id)) {
				throw RequestException.unknownMessage(queue, id);
			}
			CommandOutcome outcome = command.get();
			if (!outcome.done() && outcome.state() == MessageState.UNKNOWN) {
				throw RequestException.unknownMessage(queue, id);
			}
			if (!outcome.done()) {
				throw new QueueException("The message " + ErrorView.quote(id) + " of the queue '" + queue + "' is "
						+ outcome.state() + " and stays as it is: " + outcome.reason());
			}
			return CommandView.of(queue, id, outcome);
		}, (view) -> "done, it was " + view.state());
	}

	private CommandOutcome redrive(String queue, String id, @Nullable String due) {
		Instant at = Parameters.instant("due", due);
		try {
			if (at != null) {
				this.admin.deadLetters().redriveAt(queue, id, at);
			}
			else {
				this.admin.deadLetters().redrive(queue, id);
			}
			return new CommandOutcome(MessageState.DEAD, true, at, null);
		}
		catch (QueueException ex) {
			if (this.admin.messages().find(queue, id).isEmpty()) {
				throw RequestException.unknownMessage(queue, id);
			}
			throw ex;
		}
	}

	static @Nullable Long claim(@Nullable String claim) {
		if (claim == null || claim.isEmpty()) {
			return null;
		}
		try {
			return Long.valueOf(claim);
		}
		catch (NumberFormatException ex) {
			throw RequestException.badParameter("claim",
					"'claim' must be the number that the running message has: " + ErrorView.quote(claim));
		}
	}

	private static String reason(@Nullable String reason, SecurityContext user) {
		String text = Parameters.text("reason", reason);
		return (text != null && !text.isBlank()) ? text : "Buried by " + AuditTrail.plain(AuditTrail.who(user));
	}

	private CommandOutcome reschedule(String queue, String id, @Nullable String delay, @Nullable String due) {
		Duration after = Parameters.duration("delay", delay);
		Instant at = Parameters.instant("due", due);
		if (after != null && at != null) {
			throw RequestException.badParameter("due", "'due' must not be given together with 'delay'");
		}
		if (at != null) {
			return this.admin.messages().rescheduleAt(queue, id, at);
		}
		if (after == null) {
			throw RequestException.badParameter("delay", "'delay', such as 10m, or 'due' is missing");
		}
		return this.admin.messages().reschedule(queue, id, after);
	}

	private CommandOutcome change(String queue, String id, ChangeParameters change) {
		MessageChange wanted = change.toChange();
		try {
			return this.admin.messages().change(queue, id, wanted);
		}
		catch (IllegalArgumentException ex) {
			String message = String.valueOf(ex.getMessage());
			throw RequestException.badParameter(message.startsWith("'priority'") ? "priority" : "payload", message);
		}
	}

	// Jobs

	/**
	 * Starts a job.
	 */
	Object startJob(SecurityContext user, String queue, JobParameters parameters) {
		return follow(user, "start-job", parameters.given(queue, this.masking), () -> {
			QueueReads.checkQueue(queue);
			if (parameters.filter().looksInside()) {
				checkInside(user, parameters.filter());
			}
			try {
				return JobView.of(
						this.admin.jobs()
							.start(queue, parameters.toRequest(queue, AuditTrail.who(user), this.admin.queues()::now)),
						this.rights.seesPayloads(user));
			}
			catch (IllegalArgumentException ex) {
				throw RequestException.badParameter("payload", String.valueOf(ex.getMessage()));
			}
		}, (job) -> "started job " + job.id());
	}

	/**
	 * Refuses a filter by content that the user may not see: a job shows how many
	 * messages matched, which would confirm a guess at a secret.
	 */
	private void checkInside(SecurityContext user, FilterParameters filter) {
		if (!this.rights.seesPayloads(user)) {
			throw RequestException.forbidden("You may not choose by headers and payloads, for you may not see them:"
					+ " see 'management.endpoint.queues.show-payloads'");
		}
		MessageFilter wanted = filter.toFilter(this.admin.queues()::now);
		if (!this.masking.shows(wanted)) {
			throw RequestException.badParameter(wanted.fields().isEmpty() ? "header" : "field",
					"'header' and 'field' must not be of what is masked: one could guess it");
		}
	}

	/**
	 * Stops a job.
	 */
	Object stopJob(SecurityContext user, String queue, String id) {
		return follow(user, "stop-job", what("queue", queue, "job", id), () -> {
			if (ofQueue(queue, id).isEmpty()) {
				throw unknownJob(queue, id);
			}
			BulkJob stopped = this.admin.jobs().stop(id).orElseThrow(() -> unknownJob(queue, id));
			if (stopped.state() != BulkJob.State.STOPPED) {
				throw new QueueException("The job " + ErrorView.quote(id) + " has ended: it is " + stopped.state());
			}
			return JobView.of(stopped, this.rights.seesPayloads(user));
		}, (job) -> job.state());
	}

	/**
	 * Shows the jobs of a queue, or of all with {@code -}.
	 */
	Object jobs(SecurityContext user, String queue, @Nullable String page, @Nullable String size) {
		Paging paging = new Paging(Parameters.number("page", page, 0, 1000, 0),
				Parameters.number("size", size, 1, 200, 50));
		List<BulkJob> all = queue.equals("-") ? this.admin.jobs().list() : this.admin.jobs().list(queue);
		boolean inside = this.rights.seesPayloads(user);
		return RecordView.page(this.admin.queues().now(), paging, "jobs",
				paging.of(all).stream().map((job) -> JobView.of(job, inside)).toList(), all.size());
	}

	/**
	 * Shows a job.
	 */
	Object job(SecurityContext user, String queue, String id) {
		return JobView.of(ofQueue(queue, id).orElseThrow(() -> unknownJob(queue, id)), this.rights.seesPayloads(user));
	}

	private Optional<BulkJob> ofQueue(String queue, String id) {
		return this.admin.jobs().find(id).filter((job) -> queue.equals("-") || job.queue().equals(queue));
	}

	private static RequestException unknownJob(String queue, String id) {
		return RequestException.unknownPath("There is no job " + ErrorView.quote(id) + " of the queue "
				+ ErrorView.quote(queue) + ": it never was there, or ended more than a day ago");
	}

	// Recurring messages

	/**
	 * Runs, pauses, resumes or removes a recurring message, or forgets its state.
	 */
	Object recurring(SecurityContext user, String queue, String name, String action) {
		return follow(user, action + "-recurring", what("queue", queue, "recurring", name), () -> {
			QueueReads.checkQueue(queue);
			RecurringMessages all = this.recurring;
			if (all == null || all.find(queue, name).isEmpty()) {
				throw RequestException.unknownPath(
						"The queue " + ErrorView.quote(queue) + " has no recurring message " + ErrorView.quote(name));
			}
			switch (action) {
				case "run" -> {
					if (!all.runNow(queue, name)) {
						throw new QueueException("The recurring message " + ErrorView.quote(name)
								+ " is not run now: it runs already, and must not overlap");
					}
				}
				case "pause" -> all.pause(queue, name);
				case "resume" -> all.resume(queue, name);
				case "forget-state" -> all.forgetState(queue, name);
				case "remove" -> all.remove(queue, name);
				default ->
					throw RequestException.unknownPath("There is nothing to be done as " + ErrorView.quote(action)
							+ " with a recurring message: there are run, pause, resume and forget-state");
			}
			return Map.of("queue", queue, "name", name, "done", true);
		}, (view) -> "done");
	}

	// Topics

	/**
	 * Delivers the published messages to a group once more.
	 */
	Object replay(SecurityContext user, String topic, @Nullable String group, @Nullable String since) {
		Map<String, @Nullable String> asked = what("topic", topic, "group", group);
		asked.put("since", since);
		return follow(user, "replay", asked, () -> {
			String name = Parameters.text("group", group);
			Instant from = Parameters.instant("since", since);
			if (name == null) {
				throw RequestException.badParameter("group", "'group' is missing");
			}
			if (from == null) {
				throw RequestException.badParameter("since", "'since' is missing, a time such as 2026-11-23T04:00:00Z");
			}
			return Map.of("topic", topic, "group", name, "replayed",
					topic(() -> this.admin.topics().replay(topic, name, from)));
		}, (view) -> "replayed " + view.get("replayed"));
	}

	/**
	 * Deletes a topic, or one of its groups.
	 */
	Object deleteTopic(SecurityContext user, String topic, @Nullable String group, @Nullable String confirm) {
		String action = (group != null) ? "delete-group" : "delete-topic";
		return follow(user, action, what("topic", topic, "group", group), () -> {
			String name = Parameters.text("group", group);
			confirm((name != null) ? name : topic, confirm, "what it has collected is gone then");
			if (name != null) {
				return Map.of("topic", topic, "group", name, "removed",
						topic(() -> this.admin.topics().removeGroup(topic, name)));
			}
			topic(() -> {
				this.admin.topics().delete(topic);
				return 0L;
			});
			return Map.<String, Object>of("topic", topic, "deleted", true);
		}, (view) -> "done");
	}

	private static long topic(Supplier<Long> request) {
		try {
			return request.get();
		}
		catch (UnknownQueueException ex) {
			throw RequestException.unknownPath(String.valueOf(ex.getMessage()));
		}
		catch (IllegalArgumentException ex) {
			throw RequestException.badParameter("group", String.valueOf(ex.getMessage()));
		}
	}

}
