package io.redelay.queue.admin.engine.bulk;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.BiFunction;
import java.util.function.Function;
import java.util.zip.CRC32;

import io.redelay.queue.FailedAttempt;
import io.redelay.queue.MessageState;
import io.redelay.queue.admin.BulkRequest;
import io.redelay.queue.admin.MessageChange;
import io.redelay.queue.admin.MessageFilter;
import io.redelay.queue.admin.QueuedMessage;
import io.redelay.queue.admin.SearchPage;
import io.redelay.queue.admin.UnknownQueueException;
import io.redelay.queue.admin.engine.access.CommandSender;
import io.redelay.queue.admin.engine.access.ExistingQueues;
import io.redelay.queue.admin.engine.message.MessageEditor;
import io.redelay.queue.admin.engine.message.MessageLookup;
import io.redelay.queue.admin.engine.message.MessageSearch;
import io.redelay.queue.admin.engine.message.OptimisticCommands;
import io.redelay.queue.message.MessageEdit;
import io.redelay.queue.script.CommandReply;
import io.redelay.queue.script.MessageCommand;
import org.jspecify.annotations.Nullable;

/**
 * Carries out jobs in steps: searches some messages, and gives a command on each of them.
 * A step that is carried out twice does nothing the second time.
 *
 * @since 0.1.0
 */
public record BulkWork(MessageSearch search, MessageLookup lookup, CommandSender commands, OptimisticCommands found,
		MessageEditor editor, ExistingQueues known) {

	/**
	 * How many messages a step processes at most.
	 */
	private static final int STEP = 500;

	/**
	 * How many messages are checked before a job that changes payloads begins.
	 */
	private static final int CHECKED = 20;

	/**
	 * 2^64 divided by the golden ratio.
	 */
	private static final long MIXER = 0x9E3779B97F4A7C15L;

	/**
	 * Carries out the next step.
	 * @return the progress of the job; its cursor is {@code null} if this was the last
	 * step
	 * @throws UnknownQueueException if the queue was deleted
	 */
	BulkProgress step(BulkPlan plan, BulkProgress at) {
		BulkRequest request = plan.request();
		MessageFilter filter = filter(plan);
		int size = size(request, at);
		SearchPage page = this.search.search(plan.queue(), filter, at.cursor(), size);
		if (page.cursor() == null && !this.known.all().contains(plan.queue())) {
			throw new UnknownQueueException("The queue '" + plan.queue() + "' was deleted");
		}
		List<QueuedMessage> meant = page.messages().stream().filter((message) -> isMeant(plan, message)).toList();
		Map<String, Set<MessageState>> states = new HashMap<>();
		Map<String, Instant> dues = new HashMap<>();
		meant.forEach((message) -> {
			states.put(message.uid(), states(filter, message.state()));
			dues.put(message.uid(), due(plan, message));
		});
		long left = (request.limit() != null) ? request.limit() - at.done() : Long.MAX_VALUE;
		List<CommandReply.Result> results = new ArrayList<>();
		long done = 0;
		// A page may hold more than the limit leaves, and commands on some may be
		// refused: the search does not return to the others.
		while (results.size() < meant.size() && done < left) {
			List<QueuedMessage> next = meant.subList(results.size(),
					(int) Math.min(meant.size(), results.size() + left - done));
			List<CommandReply.Result> given = this.lookup.commandAll(plan.queue(),
					next.stream().map(QueuedMessage::uid).toList(), command(plan, states::get, dues));
			results.addAll(given);
			done += given.stream().filter((result) -> result.isDone()).count();
		}
		long gone = results.stream().filter((result) -> result.state() == MessageState.UNKNOWN).count();
		boolean enough = done >= left;
		return new BulkProgress(enough ? null : page.cursor(), at.seen() + page.examined(),
				at.matched() + results.size() - gone, at.done() + done, at.refused() + results.size() - gone - done,
				null);
	}

	/**
	 * Refuses a change that is impossible for each of the first messages, with which the
	 * job would do nothing.
	 * @throws IllegalArgumentException if it is impossible
	 */
	void check(BulkPlan plan) {
		String payload = change(plan).payload();
		if (payload == null) {
			return;
		}
		IllegalArgumentException refusal = null;
		for (QueuedMessage message : this.search.search(plan.queue(), filter(plan), null, CHECKED).messages()) {
			try {
				MessageEditor.check(message.contentType(), payload);
				return;
			}
			catch (IllegalArgumentException ex) {
				refusal = ex;
			}
		}
		if (refusal != null) {
			throw refusal;
		}
	}

	/**
	 * The filter, with the default states of the action if it has none.
	 */
	private static MessageFilter filter(BulkPlan plan) {
		MessageFilter filter = plan.request().filter();
		return filter.states().isEmpty() ? filter.states(plan.request().action().states()) : filter;
	}

	private static int size(BulkRequest request, BulkProgress at) {
		long size = STEP;
		if (request.perSecond() != null) {
			size = Math.max(1, Math.min(size, (long) (request.perSecond() / 2)));
		}
		return (int) ((request.limit() != null) ? Math.min(size, request.limit() - at.done()) : size);
	}

	/**
	 * Whether a message was there when the job began, and was not processed before.
	 */
	private static boolean isMeant(BulkPlan plan, QueuedMessage message) {
		Instant begun = plan.begun();
		if (message.sentAt().isAfter(begun) || (message.diedAt() != null && message.diedAt().isAfter(begun))
				|| (message.completedAt() != null && message.completedAt().isAfter(begun))) {
			return false;
		}
		return switch (plan.request().action()) {
			case CANCEL -> !message.cancelled();
			case RUN -> !isTriedSince(begun, message);
			case RESCHEDULE -> {
				Instant due = due(plan, message);
				yield isRescheduled(due, message) && !isTriedSince(begun.isAfter(due) ? begun : due, message);
			}
			case CHANGE -> isChanged(change(plan), message);
			default -> true;
		};
	}

	/**
	 * A message that was run and failed waits for its next attempt. It would be found and
	 * run again and again until it is dead.
	 */
	private static boolean isTriedSince(Instant time, QueuedMessage message) {
		List<FailedAttempt> history = message.history();
		return !history.isEmpty() && history.get(history.size() - 1).at().isAfter(time);
	}

	/**
	 * A ready message gets another uid with another time, and a scheduled one another
	 * place, so either may be found once more.
	 */
	private static boolean isRescheduled(Instant due, QueuedMessage message) {
		return !message.dueAt().equals(due) && (message.state() != MessageState.READY || due.isAfter(message.dueAt()));
	}

	private static boolean isChanged(MessageChange change, QueuedMessage message) {
		return change.attempts() != null || (change.priority() != null && !change.priority().equals(message.priority()))
				|| (change.failures() != null && change.failures() != message.failures())
				|| (change.payload() != null && !change.payload().equals(message.payloadAsText()));
	}

	/**
	 * The states in which a message may be when the command on it is carried out. A
	 * message that has died or was redriven since was not chosen.
	 */
	private static Set<MessageState> states(MessageFilter filter, MessageState found) {
		if (!MessageSearch.LIVING.contains(found)) {
			return Set.of(found);
		}
		Set<MessageState> states = EnumSet.copyOf(MessageSearch.LIVING);
		states.retainAll(filter.states());
		return states;
	}

	/**
	 * @param states in which states each message may be, by its uid
	 * @param dues when each is due if it is rescheduled, by its uid
	 */
	private BiFunction<String, List<String>, List<CommandReply.Result>> command(BulkPlan plan,
			Function<String, Set<MessageState>> states, Map<String, Instant> dues) {
		BulkRequest request = plan.request();
		return switch (request.action()) {
			case CANCEL -> given(MessageCommand.Action.CANCEL, (uid) -> "", states);
			case DELETE -> given(MessageCommand.Action.DELETE, (uid) -> "", states);
			case RUN -> given(MessageCommand.Action.SCHEDULE, (uid) -> MessageCommand.after(Duration.ZERO), states);
			case RESCHEDULE -> given(MessageCommand.Action.SCHEDULE,
					(uid) -> MessageCommand.at(Objects.requireNonNull(dues.get(uid))), states);
			case REDRIVE -> given(MessageCommand.Action.REDRIVE, (uid) -> MessageCommand.after(Duration.ZERO), states);
			case BURY -> (partition, uids) -> found(partition, uids, MessageCommand.Action.BURY, states,
					this.editor.burial(Objects.requireNonNullElse(request.reason(), "Buried in bulk")));
			case CHANGE -> (partition, uids) -> found(partition, uids, MessageCommand.Action.CHANGE, states,
					(message, time) -> argument(this.editor.edit(partition, message, change(plan))));
		};
	}

	/**
	 * A message with a changed priority gets another uid, and may be found once more.
	 */
	private static @Nullable String argument(MessageEdit edit) {
		return edit.isNothing() ? null : edit.argument();
	}

	private BiFunction<String, List<String>, List<CommandReply.Result>> given(MessageCommand.Action action,
			Function<String, String> argument, Function<String, Set<MessageState>> states) {
		return (partition, uids) -> this.commands.send(partition, action,
				uids.stream()
					.map((uid) -> new CommandSender.Plan(uid, argument.apply(uid), states.apply(uid)))
					.toList());
	}

	private List<CommandReply.Result> found(String partition, List<String> uids, MessageCommand.Action action,
			Function<String, Set<MessageState>> states, OptimisticCommands.Planner planner) {
		return this.found.command(partition, uids, action, states, planner)
			.stream()
			.map(OptimisticCommands.Answer::result)
			.toList();
	}

	private static MessageChange change(BulkPlan plan) {
		return Objects.requireNonNullElse(plan.request().change(), MessageChange.none());
	}

	/**
	 * When a rescheduled message is due: always at the same time, so that none is found
	 * and moved again and again. Messages that are spread have a time each, which follows
	 * from what they keep when they move, and which is not before their own.
	 */
	private static Instant due(BulkPlan plan, QueuedMessage message) {
		BulkRequest request = plan.request();
		Instant due = (request.due() != null) ? request.due()
				: plan.begun().plus(Objects.requireNonNullElse(request.delay(), Duration.ZERO));
		if (request.spread() != null) {
			String key = Objects.requireNonNullElse(message.orderingKey(), message.id());
			due = due.plusMillis((long) (request.spread().toMillis() * share(key)));
		}
		// Rounded as in the store, so that rescheduled messages are recognized.
		Instant rounded = due.isBefore(Instant.EPOCH) ? Instant.EPOCH
				: Instant.ofEpochMilli(due.plusNanos(999_999).toEpochMilli());
		boolean early = request.spread() != null && rounded.isBefore(message.dueAt());
		return early ? message.dueAt() : rounded;
	}

	/**
	 * A number from 0 on and below 1 that follows from a key, the same in each version.
	 * Keys that are alike have numbers that are not.
	 */
	private static double share(String key) {
		CRC32 hash = new CRC32();
		hash.update(key.getBytes(StandardCharsets.UTF_8));
		return ((hash.getValue() * MIXER) >>> 11) * 0x1.0p-53;
	}

}
