package io.redelay.queue.admin.engine.access;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import java.util.stream.IntStream;

import io.redelay.queue.MessageState;
import io.redelay.queue.admin.RedriveResult;
import io.redelay.queue.limits.PartitionName;
import io.redelay.queue.message.LengthLimit;
import io.redelay.queue.message.Uids;
import io.redelay.queue.request.RequestBatchers;
import io.redelay.queue.script.CommandReply;
import io.redelay.queue.script.MessageCommand;
import io.redelay.queue.script.admin.AdminScripts;
import io.redelay.queue.script.admin.CommandBatcher;
import org.jspecify.annotations.Nullable;

/**
 * Sends commands on messages and waits for their results, through one batcher a queue.
 *
 * @since 0.1.0
 */
public final class CommandSender {

	/**
	 * How long the arguments of a request without the last one may be together.
	 */
	private static final int MAX_CHARACTERS = 1_000_000;

	private final Uids uids = new Uids();

	private final RequestBatchers<MessageCommand, CommandReply> batchers;

	private final Map<String, LengthLimit> lengths;

	/**
	 * Creates a sender.
	 * @param store the store
	 * @param lengths how long the lines of ordering keys may be, by queue: redriven
	 * messages are refused like sent ones
	 */
	public CommandSender(AdminScripts store, Map<String, LengthLimit> lengths) {
		this.batchers = store.steer().batchers();
		this.lengths = Map.copyOf(lengths);
	}

	/**
	 * Creates a sender for commands that redrive nothing.
	 * @param store the store
	 */
	public CommandSender(AdminScripts store) {
		this(store, Map.of());
	}

	public CommandReply.Result send(String queue, MessageCommand.Action action, Plan plan) {
		return send(queue, action, List.of(plan)).get(0);
	}

	public void setFlag(String queue, String flag, boolean set) {
		send(queue, List.of(MessageCommand.flag(flag, set)));
	}

	/**
	 * Sets limits of a queue, or removes them.
	 * @param by the display name of the asking instance
	 * @param words the limits that change, as scripts read them
	 * @return whether anything changed
	 */
	public boolean setLimits(String queue, String by, String words) {
		return send(queue, List.of(MessageCommand.limits(by, words))).get(0).isDone();
	}

	public void setGate(String queue, String key, Duration duration) {
		send(queue, List.of(MessageCommand.gate(key, duration)));
	}

	public boolean freeKey(String queue, String key) {
		return send(queue, List.of(MessageCommand.free(key))).get(0).isDone();
	}

	public RedriveResult redrive(String queue, List<String> ids, Function<Integer, Duration> delay) {
		List<MessageCommand> commands = new ArrayList<>(ids.size());
		for (int i = 0; i < ids.size(); i++) {
			commands.add(new MessageCommand(MessageCommand.Action.REDRIVE, ids.get(i),
					MessageCommand.redrive(MessageCommand.after(delay.apply(i)), lineLength(queue)), this.uids.next()));
		}
		List<CommandReply.Result> results = send(queue, commands);
		List<String> refused = IntStream.range(0, results.size())
			.filter((i) -> !results.get(i).isDone() && results.get(i).state() == MessageState.DEAD)
			.mapToObj(ids::get)
			.toList();
		return new RedriveResult((int) results.stream().filter(CommandReply.Result::isDone).count(), refused);
	}

	/**
	 * Sends the same command for several messages.
	 */
	public List<CommandReply.Result> send(String queue, MessageCommand.Action action, List<Plan> plans) {
		return send(queue,
				plans.stream()
					.map((plan) -> new MessageCommand(action, plan.name(),
							(action == MessageCommand.Action.REDRIVE)
									? MessageCommand.redrive(plan.argument(), lineLength(queue)) : plan.argument(),
							this.uids.next(), plan.states()))
					.toList());
	}

	private @Nullable Integer lineLength(String partition) {
		LengthLimit length = this.lengths.get(PartitionName.queueOf(partition));
		return (length != null) ? length.lineLength() : null;
	}

	private List<CommandReply.Result> send(String queue, List<MessageCommand> commands) {
		List<CompletableFuture<List<CommandReply.Result>>> sent = new ArrayList<>();
		int first = 0;
		while (first < commands.size()) {
			int last = first;
			long characters = 0;
			while (last < commands.size() && last - first < CommandBatcher.MAX_COMMANDS
					&& characters < MAX_CHARACTERS) {
				characters += commands.get(last).argument().length();
				last++;
			}
			sent.add(CommandBatcher.send(commands.subList(first, last),
					(some) -> this.batchers.submit(queue, some, true)));
			first = last;
		}
		List<CommandReply.Result> results = new ArrayList<>(commands.size());
		sent.forEach((each) -> results.addAll(StoreCalls.await(each)));
		return results;
	}

	/**
	 * A command on a message.
	 *
	 * @param name the message's id or uid
	 * @param argument the argument
	 * @param states the states in which the message may be; empty for any
	 */
	public record Plan(String name, String argument, Set<MessageState> states) {

		public static Plan inAnyState(String name, String argument) {
			return new Plan(name, argument, Set.of());
		}

	}

}
