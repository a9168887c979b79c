package io.redelay.queue.script.admin;

import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;
import java.util.stream.Collectors;

import io.redelay.queue.MessageState;
import io.redelay.queue.message.Uids;
import io.redelay.queue.request.LaneStatus;
import io.redelay.queue.request.ReplayMemory;
import io.redelay.queue.request.RequestBatchers;
import io.redelay.queue.request.RequestProtocol;
import io.redelay.queue.request.Rollback;
import io.redelay.queue.request.SenderMemory;
import io.redelay.queue.request.SenderState;
import io.redelay.queue.script.CheckSenderScript;
import io.redelay.queue.script.CommandReply;
import io.redelay.queue.script.MessageCommand;
import io.redelay.queue.script.ScriptCall;
import io.redelay.queue.script.ScriptObservers;
import io.redelay.queue.wire.QueueKeys;
import io.redelay.queue.wire.Reply;
import io.redelay.queue.wire.Script;
import io.redelay.queue.wire.ScriptRunner;
import io.redelay.queue.wire.ScriptWords;

/**
 * Carries out commands on messages and queues.
 *
 * @since 0.1.0
 */
public final class SteerScript {

	private static final int MAX_WAITING = 100_000;

	private final ScriptRunner runner;

	private final Supplier<String> wakePrefix;

	private final String maxBytes;

	private final AdminCallbacks callbacks;

	private final ReplayMemory replayMemory;

	private final TidyScript tidy;

	private final Uids lanes;

	SteerScript(ScriptRunner runner, Supplier<String> wakePrefix, String maxBytes, AdminCallbacks callbacks,
			ReplayMemory replayMemory, TidyScript tidy, Uids lanes) {
		this.runner = runner;
		this.wakePrefix = wakePrefix;
		this.maxBytes = maxBytes;
		this.callbacks = callbacks;
		this.replayMemory = replayMemory;
		this.tidy = tidy;
		this.lanes = lanes;
	}

	/**
	 * Creates a batcher of commands, whose lane is opened when it is first used.
	 * @param queue the queue
	 * @return the batcher
	 */
	public CommandBatcher batcher(String queue) {
		return new CommandBatcher(protocol(queue), this.replayMemory);
	}

	/**
	 * Creates batchers of commands.
	 * @return the batchers, one for each queue
	 */
	public RequestBatchers<MessageCommand, CommandReply> batchers() {
		return new RequestBatchers<>(this::protocol, this.replayMemory);
	}

	private RequestProtocol<MessageCommand, CommandReply> protocol(String queue) {
		ListTidier tidier = new ListTidier(this.tidy, queue);
		return new RequestProtocol<>(
				new RequestProtocol.Settings(queue, Rollback.Lane.COMMANDS, CommandBatcher.MAX_COMMANDS, MAX_WAITING),
				MessageCommand::bytes, () -> openLane(queue),
				(lane, seq, renews, commands, attempt) -> run(queue, lane, seq, commands).thenApply((reply) -> {
					if (reply.untidy()) {
						tidier.tidy();
					}
					return reply;
				}), (lane) -> checkLane(queue, lane), SteerScript::repeatable);
	}

	/**
	 * Forwarding is not repeated: Redis may have lost the copy in the other queue, so the
	 * forwarder marks and copies the dead letter anew before it is removed.
	 */
	private static List<MessageCommand> repeatable(List<MessageCommand> commands) {
		return commands.stream()
			.filter((each) -> each.action() != MessageCommand.Action.FORWARD
					&& each.action() != MessageCommand.Action.FORWARDED)
			.toList();
	}

	/**
	 * Opens a lane on which each request is carried out once, however often it is sent.
	 * @param queue the queue
	 * @return the name of the lane
	 */
	public CompletableFuture<String> openLane(String queue) {
		String lane = this.lanes.next();
		return this.runner.run("Opening a lane of the queue '" + queue + "'", Script.OPEN_STEERER,
				this.runner.keys(queue).sentBy(lane).of(Script.OPEN_STEERER), new Object[] { SenderMemory.MILLIS },
				(reply) -> lane);
	}

	/**
	 * Asks which request of a lane is the last one that is remembered.
	 */
	public CompletableFuture<SenderState> checkLane(String queue, String lane) {
		return new CheckSenderScript(this.runner).run(queue, lane);
	}

	/**
	 * Carries out commands, each by itself. Where the messages are large, the last
	 * commands are left for {@linkplain CommandReply.Result.Outcome#LATER later}.
	 * @param queue the queue
	 * @param lane an open lane
	 * @param seq the number of the request in that lane, from 1
	 * @param commands the commands
	 * @return what became of each
	 */
	public CompletableFuture<CommandReply> run(String queue, String lane, long seq, List<MessageCommand> commands) {
		ScriptObservers.Call observed = this.callbacks.observers().begin();
		CompletableFuture<CommandReply> commanded = request(queue, lane, seq, commands);
		if (mayRemoveTicks(commands)) {
			commanded = commanded.whenComplete((reply, failure) -> this.callbacks.restoreTicksSoon(queue));
		}
		return (observed == null) ? commanded : commanded.thenApply((reply) -> {
			observed.ended(new ScriptCall.Steer(queue, commands, reply));
			return reply;
		});
	}

	private static boolean mayRemoveTicks(List<MessageCommand> commands) {
		for (MessageCommand command : commands) {
			boolean removes = switch (command.action()) {
				case CANCEL, DELETE, BURY, EXPIRE -> command.name().endsWith(Uids.TICK_SUFFIX);
				default -> false;
			};
			if (removes) {
				return true;
			}
		}
		return false;
	}

	private CompletableFuture<CommandReply> request(String queue, String lane, long seq,
			List<MessageCommand> commands) {
		QueueKeys keys = this.runner.keys(queue);
		List<Object> args = new ArrayList<>(4 + 5 * commands.size());
		args.add(Long.toString(seq));
		args.add(SenderMemory.MILLIS);
		args.add(this.wakePrefix.get());
		args.add(this.maxBytes);
		for (MessageCommand command : commands) {
			args.add(command.action().verb());
			args.add(command.name());
			args.add(command.argument());
			args.add(command.freshUid());
			args.add(command.states().stream().sorted().map(MessageState::name).collect(Collectors.joining(" ")));
		}
		return this.runner.run("Carrying out commands on the queue '" + queue + "'", Script.STEER,
				keys.steered(keys.sent(lane)), args.toArray(), SteerScript::reply);
	}

	private static CommandReply reply(Reply reply) {
		LaneStatus status = reply.status();
		if (status != LaneStatus.OK) {
			return new CommandReply(status, reply.hasNext() ? reply.time() : Instant.EPOCH, false, List.of());
		}
		Instant time = reply.time();
		String lists = reply.text();
		List<CommandReply.Result> results = new ArrayList<>();
		while (reply.hasNext()) {
			MessageState state = MessageState.valueOf(reply.text());
			CommandReply.Result.Outcome outcome = CommandReply.Result.Outcome.valueOf(reply.text());
			String detail = reply.text();
			Instant due = Character.isDigit(detail.charAt(0)) ? Instant.ofEpochMilli(Long.parseLong(detail)) : null;
			results.add(new CommandReply.Result(state, outcome, due, detail.startsWith(ScriptWords.FORWARDED_TO)
					? detail.substring(ScriptWords.FORWARDED_TO.length()) : null));
		}
		return new CommandReply(status, time, lists.equals(ScriptWords.YES), results,
				lists.equals(ScriptWords.EMPTIED));
	}

}
