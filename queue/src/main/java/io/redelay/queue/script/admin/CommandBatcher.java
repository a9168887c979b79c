package io.redelay.queue.script.admin;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;

import io.redelay.queue.request.ReplayMemory;
import io.redelay.queue.request.RequestBatcher;
import io.redelay.queue.request.RequestProtocol;
import io.redelay.queue.script.CommandReply;
import io.redelay.queue.script.MessageCommand;

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

	private final RequestBatcher<MessageCommand, CommandReply> batcher;

	/**
	 * Creates a batcher, whose lane is opened when it is first used.
	 * @param protocol how commands are sent to the queue
	 * @param memory the requests that are remembered in case Redis goes back in time
	 */
	public CommandBatcher(RequestProtocol<MessageCommand, CommandReply> protocol, ReplayMemory memory) {
		this.batcher = new RequestBatcher<>(protocol, memory);
	}

	/**
	 * Gives commands, each of which is carried out or refused by itself.
	 * @param commands the commands, at most {@value #MAX_COMMANDS}
	 * @return their results, in the same order
	 */
	public CompletableFuture<List<CommandReply.Result>> send(List<MessageCommand> commands) {
		return send(commands, (some) -> this.batcher.submit(some, true));
	}

	/**
	 * Gives commands in as many requests as it takes: a request that would take too long
	 * leaves its last commands for the next one.
	 * @param commands the commands
	 * @param request makes a request
	 * @return their results, in the same order
	 */
	public static CompletableFuture<List<CommandReply.Result>> send(List<MessageCommand> commands,
			Function<List<MessageCommand>, CompletableFuture<CommandReply>> request) {
		return request.apply(commands).thenCompose((reply) -> {
			List<CommandReply.Result> results = reply.results();
			int done = 0;
			while (done < results.size() && results.get(done).outcome() != CommandReply.Result.Outcome.LATER) {
				done++;
			}
			if (done == results.size()) {
				return CompletableFuture.completedFuture(results);
			}
			List<CommandReply.Result> all = new ArrayList<>(results.subList(0, done));
			return send(commands.subList(done, commands.size()), request).thenApply((rest) -> {
				all.addAll(rest);
				return all;
			});
		});
	}

}
