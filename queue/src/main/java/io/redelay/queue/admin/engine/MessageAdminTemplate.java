package io.redelay.queue.admin.engine;

import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;

import io.redelay.queue.MessageState;
import io.redelay.queue.admin.CommandOutcome;
import io.redelay.queue.admin.MessageAdmin;
import io.redelay.queue.admin.MessageChange;
import io.redelay.queue.admin.MessageFilter;
import io.redelay.queue.admin.QueuePage;
import io.redelay.queue.admin.QueuedMessage;
import io.redelay.queue.admin.SearchPage;
import io.redelay.queue.admin.engine.access.CommandOutcomes;
import io.redelay.queue.admin.engine.access.CommandSender;
import io.redelay.queue.admin.engine.message.MessageEditor;
import io.redelay.queue.admin.engine.message.MessageLookup;
import io.redelay.queue.admin.engine.message.MessageSearch;
import io.redelay.queue.admin.engine.message.MessagesByTag;
import io.redelay.queue.admin.engine.message.OptimisticCommands;
import io.redelay.queue.admin.engine.message.PageReader;
import io.redelay.queue.limits.DueTime;
import io.redelay.queue.limits.TagName;
import io.redelay.queue.script.MessageCommand;
import org.jspecify.annotations.Nullable;

import org.springframework.util.Assert;

/**
 * Looks at messages, and acts on single ones and on those of a tag.
 */
record MessageAdminTemplate(QueueAccess queues, MessageLookup lookup, PageReader pages, MessageSearch search,
		MessagesByTag tagged, OptimisticCommands found, MessageEditor editor) implements MessageAdmin {

	@Override
	public Optional<QueuedMessage> find(String queue, String id) {
		this.queues.check(queue);
		AdminArguments.checkId(id);
		return this.lookup.find(queue, id);
	}

	@Override
	public QueuePage browse(String queue, MessageState state, int page, int size) {
		this.queues.check(queue);
		AdminArguments.checkPage(page, size);
		Assert.isTrue(state != MessageState.UNKNOWN, "'state' must not be UNKNOWN: such messages are nowhere");
		return this.pages.browse(this.queues.expire(queue), state, page, size);
	}

	@Override
	public SearchPage search(String queue, MessageFilter filter, @Nullable String cursor, int limit) {
		this.queues.check(queue);
		AdminArguments.checkLimit(limit);
		return this.search.search(queue, filter, cursor, limit);
	}

	@Override
	public SearchPage findByTag(String queue, String tag, @Nullable String cursor, int limit) {
		this.queues.check(queue);
		TagName.check(tag);
		AdminArguments.checkLimit(limit);
		return this.tagged.find(this.queues.partitions(queue), tag, cursor, limit);
	}

	@Override
	public CommandOutcome cancel(String queue, String id) {
		return command(queue, MessageCommand.Action.CANCEL, id, "");
	}

	@Override
	public List<CommandOutcome> cancelAll(String queue, Collection<String> ids) {
		this.queues.check(queue);
		ids.forEach(AdminArguments::checkId);
		return this.lookup.cancel(queue, List.copyOf(ids)).stream().map(CommandOutcomes::of).toList();
	}

	@Override
	public long cancelByTag(String queue, String tag) {
		this.queues.check(queue);
		TagName.check(tag);
		return this.tagged.cancel(this.queues.partitions(queue), tag);
	}

	@Override
	public CommandOutcome reschedule(String queue, String id, Duration delay) {
		Assert.isTrue(DueTime.isPossible(delay), () -> "'delay' must be 0 to 3650 days: " + delay);
		return command(queue, MessageCommand.Action.SCHEDULE, id, MessageCommand.after(delay));
	}

	@Override
	public CommandOutcome rescheduleAt(String queue, String id, Instant due) {
		Assert.isTrue(DueTime.isPossible(due), () -> "'due' must be before 2469: " + due);
		return command(queue, MessageCommand.Action.SCHEDULE, id, MessageCommand.at(due));
	}

	@Override
	public CommandOutcome runNow(String queue, String id) {
		return command(queue, MessageCommand.Action.RUN, id, "");
	}

	@Override
	public CommandOutcome bury(String queue, String id, String reason) {
		Assert.hasText(reason, "'reason' must not be blank: say why the message is not to be handled");
		Assert.isTrue(reason.length() <= 1000,
				() -> "'reason' must have 1,000 characters at most, and has " + reason.length());
		return foundCommand(queue, id, MessageCommand.Action.BURY, (partition) -> this.editor.burial(reason));
	}

	@Override
	public CommandOutcome change(String queue, String id, MessageChange change) {
		Assert.isTrue(!change.isEmpty(),
				"'change' must change something: give a payload, attempts, failures or a priority");
		return foundCommand(queue, id, MessageCommand.Action.CHANGE,
				(partition) -> (message, time) -> this.editor.edit(partition, message, change).argument());
	}

	@Override
	public CommandOutcome delete(String queue, String id) {
		return command(queue, MessageCommand.Action.DELETE, id, "");
	}

	@Override
	public CommandOutcome delete(String queue, String id, MessageState expected) {
		return command(queue, MessageCommand.Action.DELETE, new CommandSender.Plan(id, "", Set.of(expected)));
	}

	private CommandOutcome command(String queue, MessageCommand.Action action, String id, String argument) {
		return command(queue, action, CommandSender.Plan.inAnyState(id, argument));
	}

	private CommandOutcome command(String queue, MessageCommand.Action action, CommandSender.Plan plan) {
		this.queues.check(queue);
		AdminArguments.checkId(plan.name());
		return CommandOutcomes.of(this.lookup.command(queue, action, plan));
	}

	/**
	 * Sends a command whose argument depends on the message.
	 */
	private CommandOutcome foundCommand(String queue, String id, MessageCommand.Action action,
			Function<String, OptimisticCommands.Planner> planner) {
		this.queues.check(queue);
		AdminArguments.checkId(id);
		OptimisticCommands.Answer answer = this.lookup.command(queue, id,
				(partition) -> this.found
					.command(partition, List.of(id), action, (name) -> OptimisticCommands.WAITING,
							planner.apply(partition))
					.get(0));
		if (answer.refusal() != null) {
			throw answer.refusal();
		}
		return CommandOutcomes.of(answer.result());
	}

}
