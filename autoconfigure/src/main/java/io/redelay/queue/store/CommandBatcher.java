package io.redelay.queue.store;

import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;

/**
 * Steers the messages of a queue for all of an instance. One request is on its way at a
 * time; what is asked for meanwhile goes together in the next one, each action for
 * itself.
 * <p>
 * Safe for use by many threads. Futures complete on threads that must not be blocked.
 *
 * @since 0.1.0
 */
public final class CommandBatcher extends RequestBatcher<MessageCommand, CommandReply> {

	/**
	 * How many actions go in one request.
	 */
	public static final int MAX_ACTIONS = 500;

	private static final int MAX_WAITING = 100_000;

	private final QueueAdminStore store;

	private final String queue;

	private final ListTidier tidier;

	/**
	 * Creates a batcher, whose lane is opened when it is first used.
	 * @param store the store
	 * @param queue the queue
	 */
	public CommandBatcher(QueueAdminStore store, String queue) {
		super(queue, MAX_ACTIONS, MAX_WAITING, SenderMemory.RENEWAL, SenderMemory.RECOGNISED, ByteBudget.unlimited(),
				Rollback.Lane.COMMANDS, store.replayMemory());
		this.store = store;
		this.queue = queue;
		this.tidier = new ListTidier(store, queue);
	}

	/**
	 * Carries out actions, each for itself.
	 * @param actions the actions, at most {@value #MAX_ACTIONS}
	 * @return what became of them, in the same order
	 */
	public CompletableFuture<List<CommandResult>> steer(List<MessageCommand> actions) {
		return steer(actions, (some) -> submit(some, true));
	}

	/**
	 * Carries out actions in as many requests as it takes, for one ends where it would
	 * take too long.
	 * @param actions the actions
	 * @param request makes a request
	 * @return what became of them, in the same order
	 */
	public static CompletableFuture<List<CommandResult>> steer(List<MessageCommand> actions,
			Function<List<MessageCommand>, CompletableFuture<CommandReply>> request) {
		return request.apply(actions).thenCompose((reply) -> {
			List<CommandResult> results = reply.results();
			int done = 0;
			while (done < results.size() && results.get(done).outcome() != CommandResult.Outcome.LATER) {
				done++;
			}
			if (done == results.size()) {
				return CompletableFuture.completedFuture(results);
			}
			List<CommandResult> all = new ArrayList<>(results.subList(0, done));
			return steer(actions.subList(done, actions.size()), request).thenApply((rest) -> {
				all.addAll(rest);
				return all;
			});
		});
	}

	@Override
	CompletableFuture<String> open() {
		return this.store.openLane(this.queue);
	}

	@Override
	CompletableFuture<CommandReply> transmit(String lane, long seq, boolean renews, List<MessageCommand> actions,
			boolean again) {
		return this.store.steer(this.queue, lane, seq, actions).thenApply((reply) -> {
			if (reply.untidy()) {
				this.tidier.tidy();
			}
			return reply;
		});
	}

	@Override
	CompletableFuture<CommandReply> repeat(String lane, long seq, List<MessageCommand> actions) {
		return transmit(lane, seq, false, actions, true);
	}

	/**
	 * A dead letter that is still where it was is handed on anew; its copy may be lost,
	 * so it must not be removed for what was known before.
	 */
	@Override
	List<MessageCommand> repeatable(List<MessageCommand> actions) {
		return actions.stream()
			.filter((each) -> each.action() != MessageCommand.Action.FORWARD
					&& each.action() != MessageCommand.Action.FORWARDED)
			.toList();
	}

	@Override
	CompletableFuture<SenderState> check(String lane) {
		return this.store.checkLane(this.queue, lane);
	}

	@Override
	Instant time(CommandReply reply) {
		return reply.time();
	}

	@Override
	LaneStatus status(CommandReply reply) {
		return reply.status();
	}

	@Override
	boolean isTooMany(CommandReply reply) {
		return false;
	}

	@Override
	CommandReply part(CommandReply reply, int first, int size) {
		return new CommandReply(reply.status(), reply.time(), reply.untidy(),
				reply.results().subList(first, first + size));
	}

	@Override
	long bytes(MessageCommand action) {
		return action.name().length();
	}

}
