package io.redelay.queue.store;

import java.time.Instant;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/**
 * Sends requests with commands on the messages of a queue.
 */
final class CommandTransport implements RequestTransport<MessageCommand, CommandReply> {

	private final QueueAdminStore store;

	private final String queue;

	private final ListTidier tidier;

	CommandTransport(QueueAdminStore store, String queue) {
		this.store = store;
		this.queue = queue;
		this.tidier = new ListTidier(store, queue);
	}

	@Override
	public CompletableFuture<String> open() {
		return this.store.openLane(this.queue);
	}

	@Override
	public CompletableFuture<CommandReply> transmit(String lane, long seq, boolean renews,
			List<MessageCommand> commands, boolean again) {
		return this.store.command(this.queue, lane, seq, commands).thenApply((reply) -> {
			if (reply.untidy()) {
				this.tidier.tidy();
			}
			return reply;
		});
	}

	@Override
	public CompletableFuture<CommandReply> repeat(String lane, long seq, List<MessageCommand> commands,
			boolean unknown) {
		return transmit(lane, seq, false, commands, true);
	}

	/**
	 * Forwarding is not repeated: Redis may have lost the copy in the other queue, so the
	 * forwarder marks and copies the dead letter anew before it is removed.
	 */
	@Override
	public List<MessageCommand> repeatable(List<MessageCommand> commands) {
		return commands.stream()
			.filter((each) -> each.action() != MessageCommand.Action.FORWARD
					&& each.action() != MessageCommand.Action.FORWARDED)
			.toList();
	}

	@Override
	public CompletableFuture<SenderState> check(String lane) {
		return this.store.checkLane(this.queue, lane);
	}

	@Override
	public Instant time(CommandReply reply) {
		return reply.time();
	}

	@Override
	public LaneStatus status(CommandReply reply) {
		return reply.status();
	}

	@Override
	public boolean isTooMany(CommandReply reply) {
		return false;
	}

	@Override
	public CommandReply part(CommandReply reply, int first, int size) {
		return new CommandReply(reply.status(), reply.time(), reply.untidy(),
				reply.results().subList(first, first + size));
	}

	@Override
	public long bytes(MessageCommand command) {
		return (long) command.name().length() + command.argument().length();
	}

}
