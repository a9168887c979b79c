package io.redelay.queue.admin.engine.message;

import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.BiFunction;
import java.util.function.Function;
import java.util.stream.IntStream;

import io.redelay.queue.MessageState;
import io.redelay.queue.admin.QueuedMessage;
import io.redelay.queue.admin.engine.access.CommandSender;
import io.redelay.queue.admin.engine.access.KnownPartitions;
import io.redelay.queue.script.CommandReply;
import io.redelay.queue.script.MessageCommand;

/**
 * Finds single messages, and acts on them, in the partitions of their queue: first in the
 * one to which an id is sent, then in the others.
 *
 * @since 0.1.0
 */
public record MessageLookup(KnownPartitions partitions, PageReader pages, CommandSender commands) {

	/**
	 * Looks for a message: the living one, or else the one that died or was done last.
	 */
	public Optional<QueuedMessage> find(String queue, String id) {
		List<QueuedMessage> ended = new ArrayList<>();
		for (String partition : this.partitions.of(queue, id)) {
			for (QueuedMessage message : this.pages.find(partition, List.of(id))) {
				if (message.state() != MessageState.DEAD && message.state() != MessageState.COMPLETED) {
					return Optional.of(message);
				}
				ended.add(message);
			}
		}
		return ended.stream().max(Comparator.comparing(MessageLookup::end));
	}

	private static Instant end(QueuedMessage message) {
		Instant ended = (message.diedAt() != null) ? message.diedAt() : message.completedAt();
		return (ended != null) ? ended : Instant.EPOCH;
	}

	/**
	 * Sends a command on a message.
	 * @return the result in the partition of the message, or that no partition has it
	 */
	public CommandReply.Result command(String queue, MessageCommand.Action action, CommandSender.Plan plan) {
		List<String> all = this.partitions.of(queue, plan.name());
		CommandReply.Result result = this.commands.send(all.get(0), action, plan);
		for (int i = 1; i < all.size() && result.state() == MessageState.UNKNOWN; i++) {
			result = this.commands.send(all.get(i), action, plan);
		}
		return result;
	}

	/**
	 * Sends a command on a message that is looked for first.
	 * @param command sends it to a partition
	 * @return the result in the partition of the message, or that no partition has it
	 */
	public OptimisticCommands.Answer command(String queue, String id,
			Function<String, OptimisticCommands.Answer> command) {
		List<String> all = this.partitions.of(queue, id);
		OptimisticCommands.Answer answer = command.apply(all.get(0));
		for (int i = 1; i < all.size() && answer.result().state() == MessageState.UNKNOWN; i++) {
			answer = command.apply(all.get(i));
		}
		return answer;
	}

	/**
	 * Cancels messages, whatever their states.
	 * @return the result for each, in the same order
	 */
	public List<CommandReply.Result> cancel(String queue, List<String> ids) {
		return commandAll(queue, ids, (partition, some) -> this.commands.send(partition, MessageCommand.Action.CANCEL,
				some.stream().map((id) -> CommandSender.Plan.inAnyState(id, "")).toList()));
	}

	/**
	 * Sends a command on each of several messages.
	 * @param command sends it on some of them, to a partition
	 * @return the result for each, in the same order
	 */
	public List<CommandReply.Result> commandAll(String queue, List<String> ids,
			BiFunction<String, List<String>, List<CommandReply.Result>> command) {
		CommandReply.Result[] results = new CommandReply.Result[ids.size()];
		List<Integer> left = IntStream.range(0, ids.size()).boxed().toList();
		int partitions = this.partitions.of(queue).size();
		for (int round = 0; round < partitions && !left.isEmpty(); round++) {
			Map<String, List<Integer>> byPartition = new LinkedHashMap<>();
			for (int position : left) {
				List<String> all = this.partitions.of(queue, ids.get(position));
				byPartition.computeIfAbsent(all.get(Math.min(round, all.size() - 1)), (partition) -> new ArrayList<>())
					.add(position);
			}
			byPartition.forEach((partition, positions) -> {
				List<CommandReply.Result> given = command.apply(partition, positions.stream().map(ids::get).toList());
				for (int i = 0; i < positions.size(); i++) {
					results[positions.get(i)] = given.get(i);
				}
			});
			left = left.stream().filter((position) -> results[position].state() == MessageState.UNKNOWN).toList();
		}
		return List.of(results);
	}

}
