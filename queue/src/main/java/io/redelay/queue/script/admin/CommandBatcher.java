package io.redelay.queue.script.admin;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;

import io.redelay.log.PlainLog;
import io.redelay.queue.MessageState;
import io.redelay.queue.request.ReplayMemory;
import io.redelay.queue.request.RequestBatcher;
import io.redelay.queue.request.RequestProtocol;
import io.redelay.queue.request.StoreException;
import io.redelay.queue.script.CommandReply;
import io.redelay.queue.script.MessageCommand;
import org.apache.commons.logging.Log;
import org.jspecify.annotations.Nullable;

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

	/**
	 * How often a command is given that waits for the same chunk of packed messages each
	 * time.
	 */
	static final int MAX_TRIES = 3;

	private static final Log logger = PlainLog.of(CommandBatcher.class);

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
	 * leaves its last commands for the next one. A command that waits for the same chunk
	 * of packed messages again and again leaves its message as it is, as the chunk is not
	 * there; it fails, and with it those behind it, if the chunk could not come near, as
	 * Redis or a database that has its content could not be asked.
	 * @param commands the commands
	 * @param request makes a request
	 * @return their results, in the same order
	 */
	public static CompletableFuture<List<CommandReply.Result>> send(List<MessageCommand> commands,
			Function<List<MessageCommand>, CompletableFuture<CommandReply>> request) {
		return send(commands, request, null, 0);
	}

	/**
	 * Gives commands of which the first one waited for a chunk before.
	 * @param chunk the number of the chunk, or {@code null} if it waited for none
	 * @param tries how often it was given for it
	 */
	private static CompletableFuture<List<CommandReply.Result>> send(List<MessageCommand> commands,
			Function<List<MessageCommand>, CompletableFuture<CommandReply>> request, @Nullable String chunk,
			int tries) {
		return request.apply(commands).thenCompose((reply) -> {
			List<CommandReply.Result> results = reply.results();
			int done = reply.done(results.size());
			if (done == results.size()) {
				return CompletableFuture.completedFuture(results);
			}
			List<CommandReply.Result> all = new ArrayList<>(results.subList(0, done));
			String waitsFor = results.get(done).target();
			int again = (done == 0 && waitsFor != null && waitsFor.equals(chunk)) ? tries + 1 : 1;
			StoreException failure = reply.failure();
			if (failure != null) {
				MessageCommand first = commands.get(done);
				throw new StoreException("The command " + first.action() + " was not carried out on the message '"
						+ first.name() + "': " + failure.getMessage(), failure, StoreException.isAway(failure));
			}
			if (again >= MAX_TRIES) {
				logger.error("The command " + commands.get(0).action() + " left the message '" + commands.get(0).name()
						+ "' as it is: it is packed in the chunk " + waitsFor + " of its queue, which is not there");
				all.add(new CommandReply.Result(MessageState.SCHEDULED, CommandReply.Result.Outcome.UNREADABLE, null,
						null));
				waitsFor = null;
			}
			List<MessageCommand> left = commands.subList(all.size(), commands.size());
			return (left.isEmpty() ? CompletableFuture.completedFuture(List.<CommandReply.Result>of())
					: send(left, request, waitsFor, (again >= MAX_TRIES) ? 0 : again))
				.thenApply((rest) -> {
					all.addAll(rest);
					return all;
				});
		});
	}

}
