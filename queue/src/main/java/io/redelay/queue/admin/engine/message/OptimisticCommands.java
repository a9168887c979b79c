package io.redelay.queue.admin.engine.message;

import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.IntStream;

import io.redelay.queue.MessageState;
import io.redelay.queue.admin.engine.access.CommandSender;
import io.redelay.queue.admin.engine.access.StoreCalls;
import io.redelay.queue.message.StoredMessage;
import io.redelay.queue.script.CommandReply;
import io.redelay.queue.script.MessageCommand;
import io.redelay.queue.script.admin.AdminScripts;
import io.redelay.queue.script.admin.MessagePage;
import org.jspecify.annotations.Nullable;

/**
 * Sends commands whose arguments depend on the message. Looks for it first, and again if
 * it has changed or moved by the time the command arrives.
 *
 * @since 0.1.0
 */
public record OptimisticCommands(AdminScripts store, CommandSender commands) {

	/**
	 * How often a message is looked for.
	 */
	private static final int ROUNDS = 10;

	private static final CommandReply.Result UNKNOWN = new CommandReply.Result(MessageState.UNKNOWN,
			CommandReply.Result.Outcome.KEPT, null, null);

	/**
	 * The states of messages on which such commands act.
	 */
	public static final Set<MessageState> WAITING = Set.of(MessageState.SCHEDULED, MessageState.READY);

	/**
	 * Sends a command on each message that waits.
	 * @param partition where the messages are
	 * @param names their ids or uids
	 * @param action the action
	 * @param states in which of the states of {@link #WAITING} each may be, by its name
	 * @param planner makes the argument
	 * @return the result for each, in the same order
	 */
	public List<Answer> command(String partition, List<String> names, MessageCommand.Action action,
			Function<String, Set<MessageState>> states, Planner planner) {
		Answer[] answers = new Answer[names.size()];
		List<Integer> left = IntStream.range(0, names.size()).boxed().toList();
		for (int round = 0; round < ROUNDS && !left.isEmpty(); round++) {
			left = command(partition, names, left, action, states, planner, answers);
		}
		return List.of(answers);
	}

	/**
	 * Runs one round.
	 * @return the positions of those that changed or moved
	 */
	private List<Integer> command(String partition, List<String> names, List<Integer> positions,
			MessageCommand.Action action, Function<String, Set<MessageState>> states, Planner planner,
			Answer[] answers) {
		Map<String, Found> found = find(partition, positions.stream().map(names::get).toList());
		List<CommandSender.Plan> plans = new ArrayList<>();
		List<Integer> planned = new ArrayList<>();
		for (int position : positions) {
			Found its = found.get(names.get(position));
			if (its == null) {
				answers[position] = new Answer(UNKNOWN, null);
				continue;
			}
			StoredMessage message = its.message();
			answers[position] = new Answer(new CommandReply.Result(message.state(), (message.target() != null)
					? CommandReply.Result.Outcome.FORWARDING : CommandReply.Result.Outcome.KEPT, null,
					message.target()), null);
			Set<MessageState> fitting = states.apply(names.get(position));
			if (fitting.contains(message.state())) {
				try {
					String argument = planner.argument(message, its.time());
					if (argument != null) {
						plans.add(new CommandSender.Plan(message.id(), argument, fitting));
						planned.add(position);
					}
					else {
						answers[position] = new Answer(UNKNOWN, null);
					}
				}
				catch (IllegalArgumentException ex) {
					answers[position] = new Answer(answers[position].result(), ex);
				}
			}
		}
		List<CommandReply.Result> results = this.commands.send(partition, action, plans);
		List<Integer> again = new ArrayList<>();
		for (int i = 0; i < results.size(); i++) {
			CommandReply.Result result = results.get(i);
			answers[planned.get(i)] = new Answer(result, null);
			if (result.outcome() == CommandReply.Result.Outcome.CHANGED || result.state() == MessageState.UNKNOWN) {
				again.add(planned.get(i));
			}
		}
		return again;
	}

	/**
	 * The messages that exist, by the names under which they were looked for.
	 */
	private Map<String, Found> find(String partition, List<String> names) {
		Map<String, Found> byName = new HashMap<>();
		int passed = 0;
		while (passed < names.size()) {
			MessagePage page = StoreCalls.await(this.store.messages()
				.find(partition, names.subList(passed, Math.min(names.size(), passed + AdminScripts.MAX_PAGE))));
			for (StoredMessage message : page.messages()) {
				Found found = new Found(message, page.time());
				byName.put(message.id(), found);
				byName.putIfAbsent(message.uid(), found);
			}
			passed += page.passed();
		}
		return byName;
	}

	/**
	 * Makes the argument of a command.
	 */
	public interface Planner {

		/**
		 * @param message the message as it was found
		 * @param time the clock of the store
		 * @return the argument, or {@code null} to pass the message over as if it were
		 * not there
		 * @throws IllegalArgumentException if the command is impossible
		 */
		@Nullable String argument(StoredMessage message, Instant time);

	}

	/**
	 * A message that was found.
	 */
	private record Found(StoredMessage message, Instant time) {

	}

	/**
	 * The result of a command.
	 *
	 * @param refusal why no command was sent, if it is impossible
	 */
	public record Answer(CommandReply.Result result, @Nullable IllegalArgumentException refusal) {

	}

}
