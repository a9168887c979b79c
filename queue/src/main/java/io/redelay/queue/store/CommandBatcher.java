package io.redelay.queue.store;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;

/**
 * Gives commands on the messages of a queue for all of an instance. One request is on its
 * way at a time; commands given meanwhile go together in the next one. Each is carried
 * out or refused by itself.
 * <p>
 * Safe for use by many threads. Futures complete on threads that must not be blocked.
 *
 * @since 0.1.0
 */
public final class CommandBatcher {

	/**
	 * How many commands go in one request.
	 */
	public static final int MAX_COMMANDS = 500;

	private static final int MAX_WAITING = 100_000;

	private final RequestBatcher<MessageCommand, CommandReply> batcher;

	/**
	 * Creates a batcher, whose lane is opened when it is first used.
	 * @param store the store
	 * @param queue the queue
	 */
	public CommandBatcher(QueueAdminStore store, String queue) {
		this.batcher = new RequestBatcher<>(protocol(store, queue), store.replayMemory());
	}

	/**
	 * Creates batchers of commands.
	 * @param store the store
	 * @return the batchers, one for each queue
	 */
	public static RequestBatchers<MessageCommand, CommandReply> batchers(QueueAdminStore store) {
		return new RequestBatchers<>((queue) -> protocol(store, queue), store.replayMemory());
	}

	private static RequestProtocol<MessageCommand, CommandReply> protocol(QueueAdminStore store, String queue) {
		ListTidier tidier = new ListTidier(store, queue);
		return new RequestProtocol<>(new BatcherSettings(queue, Rollback.Lane.COMMANDS, MAX_COMMANDS, MAX_WAITING),
				MessageCommand::bytes, () -> store.openLane(queue), (lane, seq, renews, commands,
						attempt) -> store.command(queue, lane, seq, commands).thenApply((reply) -> {
							if (reply.untidy()) {
								tidier.tidy();
							}
							return reply;
						}),
				(lane) -> store.checkLane(queue, lane), CommandBatcher::repeatable);
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
	 * Gives commands, each of which is carried out or refused by itself.
	 * @param commands the commands, at most {@value #MAX_COMMANDS}
	 * @return their results, in the same order
	 */
	public CompletableFuture<List<CommandResult>> send(List<MessageCommand> commands) {
		return send(commands, (some) -> this.batcher.submit(some, true));
	}

	/**
	 * Gives commands in as many requests as it takes: a request that would take too long
	 * leaves its last commands for the next one.
	 * @param commands the commands
	 * @param request makes a request
	 * @return their results, in the same order
	 */
	public static CompletableFuture<List<CommandResult>> send(List<MessageCommand> commands,
			Function<List<MessageCommand>, CompletableFuture<CommandReply>> request) {
		return request.apply(commands).thenCompose((reply) -> {
			List<CommandResult> results = reply.results();
			int done = 0;
			while (done < results.size() && results.get(done).outcome() != CommandResult.Outcome.LATER) {
				done++;
			}
			if (done == results.size()) {
				return CompletableFuture.completedFuture(results);
			}
			List<CommandResult> all = new ArrayList<>(results.subList(0, done));
			return send(commands.subList(done, commands.size()), request).thenApply((rest) -> {
				all.addAll(rest);
				return all;
			});
		});
	}

}
