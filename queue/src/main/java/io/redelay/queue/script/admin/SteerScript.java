package io.redelay.queue.script.admin;

import java.time.Instant;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Collectors;

import io.redelay.queue.MessageState;
import io.redelay.queue.message.Uids;
import io.redelay.queue.request.LaneStatus;
import io.redelay.queue.request.RequestBatchers;
import io.redelay.queue.request.RequestProtocol;
import io.redelay.queue.request.Rollback;
import io.redelay.queue.request.SenderMemory;
import io.redelay.queue.request.SenderState;
import io.redelay.queue.request.StoreException;
import io.redelay.queue.script.CommandReply;
import io.redelay.queue.script.MessageCommand;
import io.redelay.queue.script.ScriptCall;
import io.redelay.queue.script.ScriptObservers;
import io.redelay.queue.script.SenderScript;
import io.redelay.queue.wire.QueueKeys;
import io.redelay.queue.wire.ReplyReader;
import io.redelay.queue.wire.Script;
import io.redelay.queue.wire.ScriptWords;
import io.redelay.scheduling.AsyncCall;

/**
 * Carries out commands on messages and queues.
 *
 * @param admin the scripts of the server
 * @since 0.1.0
 */
public record SteerScript(AdminScripts admin) {

	private static final int MAX_WAITING = 100_000;

	private static final CommandReply.Result KEPT_PACKED = new CommandReply.Result(MessageState.SCHEDULED,
			CommandReply.Result.Outcome.UNREADABLE, null, null);

	private static final Set<MessageCommand.Action> REMOVING = EnumSet.of(MessageCommand.Action.CANCEL,
			MessageCommand.Action.DELETE, MessageCommand.Action.BURY, MessageCommand.Action.EXPIRE);

	/**
	 * Creates a batcher of commands, whose lane is opened when it is first used.
	 * @param queue the queue
	 * @return the batcher
	 */
	public CommandBatcher batcher(String queue) {
		return new CommandBatcher(protocol(queue), this.admin.replayMemory());
	}

	/**
	 * Creates batchers of commands.
	 * @return the batchers, one for each queue
	 */
	public RequestBatchers<MessageCommand, CommandReply> batchers() {
		return new RequestBatchers<>(this::protocol, this.admin.replayMemory());
	}

	private RequestProtocol<MessageCommand, CommandReply> protocol(String queue) {
		ListTidier tidier = new ListTidier(new TidyScript(this.admin.runner()), queue);
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
		String lane = this.admin.newLane();
		return this.admin.runner()
			.run("Opening a lane of the queue '" + queue + "'", Script.OPEN_STEERER,
					this.admin.runner().keys(queue).sentBy(lane).of(Script.OPEN_STEERER),
					new Object[] { SenderMemory.MILLIS }, (reply) -> lane);
	}

	/**
	 * Asks which request of a lane is the last one that is remembered.
	 */
	public CompletableFuture<SenderState> checkLane(String queue, String lane) {
		return new SenderScript(this.admin.runner()).check(queue, lane);
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
		ScriptObservers.Call observed = this.admin.observers().begin();
		CompletableFuture<CommandReply> commanded = request(queue, lane, seq, commands);
		if (mayRemoveTicks(commands)) {
			commanded = commanded.whenComplete((reply, failure) -> this.admin.restoreTicksSoon(queue));
		}
		return (observed == null) ? commanded : commanded.thenApply((reply) -> {
			observed.ended(new ScriptCall.Steer(queue, commands, reply));
			return reply;
		});
	}

	private static boolean mayRemoveTicks(List<MessageCommand> commands) {
		return commands.stream()
			.anyMatch((command) -> REMOVING.contains(command.action()) && command.name().endsWith(Uids.TICK_SUFFIX));
	}

	private CompletableFuture<CommandReply> request(String queue, String lane, long seq,
			List<MessageCommand> commands) {
		QueueKeys keys = this.admin.runner().keys(queue);
		List<Object> args = new ArrayList<>(
				List.of(seq, SenderMemory.MILLIS, this.admin.wakePrefix(), this.admin.maxBytes()));
		for (MessageCommand command : commands) {
			args.addAll(List.of(command.action().verb(), command.name(), command.argument(), command.freshUid(),
					command.states().stream().sorted().map(MessageState::name).collect(Collectors.joining(" "))));
		}
		return this.admin.runner()
			.run("Carrying out commands on the queue '" + queue + "'", Script.STEER, keys.steered(keys.sent(lane)),
					args.toArray(), SteerScript::reply)
			.thenCompose((reply) -> bringNear(queue, commands, reply));
	}

	/**
	 * Brings the messages near that a command waits for, which is then given again. What
	 * cannot be brought near stays as it is. As the request was carried out, a failure of
	 * that move is none of the request: the reply has it, and the command is still to be
	 * given.
	 */
	private CompletableFuture<CommandReply> bringNear(String queue, List<MessageCommand> commands, CommandReply reply) {
		Map<String, Set<String>> names = new LinkedHashMap<>();
		for (int i = 0; i < reply.results().size(); i++) {
			String chunk = chunk(reply.results().get(i));
			if (!chunk.isEmpty()) {
				names.computeIfAbsent(chunk, (each) -> new HashSet<>()).add(commands.get(i).name());
			}
		}
		return names.isEmpty() ? CompletableFuture.completedFuture(reply)
				: AsyncCall.of(() -> this.admin.far().thaw(queue, names))
					.handle((thawed, failure) -> (failure != null)
							? with(reply, Map.of(), FarScript.Thawed.UNASKED, notNear(StoreException.cause(failure)))
							: with(reply, thawed, FarScript.Thawed.NEAR, unasked()));
	}

	/**
	 * @param others what became of the chunks that are not among those
	 * @param failure why those could not be asked for that were not
	 */
	private static CommandReply with(CommandReply reply, Map<String, FarScript.Thawed> thawed, FarScript.Thawed others,
			StoreException failure) {
		List<CommandReply.Result> results = reply.results()
			.stream()
			.map((each) -> chunk(each).isEmpty() ? each : switch (thawed.getOrDefault(chunk(each), others)) {
				case UNREADABLE -> KEPT_PACKED;
				case UNASKED -> each.stuck();
				case NEAR, GONE -> each;
			})
			.toList();
		boolean isStuck = results.stream().anyMatch(CommandReply.Result::isStuck);
		return new CommandReply(reply.status(), reply.time(), reply.untidy(), results, reply.emptied(),
				isStuck ? failure : null);
	}

	private static StoreException notNear(Throwable failure) {
		return new StoreException("its chunk could not be brought near: " + failure.getMessage(), failure,
				StoreException.isAway(failure));
	}

	/**
	 * A database that does not answer may do so later.
	 */
	private StoreException unasked() {
		return new StoreException("its content is in the database of cold messages, which cannot be asked from here",
				null, this.admin.coldTier().isUsed());
	}

	/**
	 * The number of the chunk that a command waits for, {@code ""} if it waits for none.
	 */
	private static String chunk(CommandReply.Result result) {
		String target = result.target();
		return (target != null && result.outcome() == CommandReply.Result.Outcome.LATER) ? target : "";
	}

	private static CommandReply reply(ReplyReader reply) {
		LaneStatus status = reply.status();
		if (status != LaneStatus.OK) {
			return new CommandReply(status, reply.hasNext() ? reply.time() : Instant.EPOCH, false, List.of());
		}
		Instant time = reply.time();
		String lists = reply.text();
		return new CommandReply(status, time, lists.equals(ScriptWords.YES), reply.list(SteerScript::result),
				lists.equals(ScriptWords.EMPTIED), null);
	}

	private static CommandReply.Result result(ReplyReader reply) {
		MessageState state = MessageState.valueOf(reply.text());
		CommandReply.Result.Outcome outcome = CommandReply.Result.Outcome.valueOf(reply.text());
		String detail = reply.text();
		Instant due = Character.isDigit(detail.charAt(0)) ? Instant.ofEpochMilli(Long.parseLong(detail)) : null;
		boolean named = detail.startsWith(ScriptWords.FORWARDED_TO) || detail.charAt(0) == ScriptWords.CHUNK;
		return new CommandReply.Result(state, outcome, due, named ? detail.substring(1) : null);
	}

}
