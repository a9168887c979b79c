package io.redelay.queue.admin;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;

import io.redelay.queue.store.Batchers;
import io.redelay.queue.store.CommandBatcher;
import io.redelay.queue.store.CommandReply;
import io.redelay.queue.store.CommandResult;
import io.redelay.queue.store.MessageCommand;
import io.redelay.queue.store.QueueAdminStore;
import io.redelay.queue.store.Uids;

/**
 * Acts on messages, through one batcher a queue.
 */
final class CommandSender {

	private final Uids uids = new Uids();

	private final Batchers<MessageCommand, CommandReply> batchers;

	CommandSender(QueueAdminStore store) {
		this.batchers = Batchers.steering(store);
	}

	CommandResult steer(String queue, MessageCommand.Action action, String id, String argument) {
		return steer(queue, List.of(new MessageCommand(action, id, argument, this.uids.next()))).get(0);
	}

	void flag(String queue, String flag, boolean set) {
		steer(queue, List.of(MessageCommand.flag(flag, set)));
	}

	List<CommandResult> cancel(String queue, List<String> ids) {
		return steer(queue,
				ids.stream()
					.map((id) -> new MessageCommand(MessageCommand.Action.CANCEL, id, "", this.uids.next()))
					.toList());
	}

	List<CommandResult> redrive(String queue, List<String> ids, Function<Integer, Duration> delay) {
		List<MessageCommand> actions = new ArrayList<>(ids.size());
		for (int i = 0; i < ids.size(); i++) {
			actions.add(new MessageCommand(MessageCommand.Action.REDRIVE, ids.get(i),
					MessageCommand.after(delay.apply(i)), this.uids.next()));
		}
		return steer(queue, actions);
	}

	private List<CommandResult> steer(String queue, List<MessageCommand> actions) {
		List<CompletableFuture<List<CommandResult>>> sent = new ArrayList<>();
		for (int first = 0; first < actions.size(); first += CommandBatcher.MAX_ACTIONS) {
			sent.add(CommandBatcher.steer(
					actions.subList(first, Math.min(actions.size(), first + CommandBatcher.MAX_ACTIONS)),
					(some) -> this.batchers.submit(queue, some, true)));
		}
		List<CommandResult> results = new ArrayList<>(actions.size());
		sent.forEach((each) -> results.addAll(StoreCalls.await(each)));
		return results;
	}

}
