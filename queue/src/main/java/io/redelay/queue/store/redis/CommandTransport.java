package io.redelay.queue.store.redis;

import java.time.Instant;
import java.util.List;
import java.util.concurrent.CompletableFuture;

import io.redelay.queue.store.CommandReply;
import io.redelay.queue.store.LaneStatus;
import io.redelay.queue.store.MessageCommand;
import io.redelay.queue.store.RequestTransport;
import io.redelay.queue.store.SenderState;

/**
 * Sends requests with commands on the messages of a queue.
 */
final class CommandTransport implements RequestTransport<MessageCommand, CommandReply> {

	private final SteerScript steer;

	private final String queue;

	private final ListTidier tidier;

	CommandTransport(SteerScript steer, TidyScript tidy, String queue) {
		this.steer = steer;
		this.queue = queue;
		this.tidier = new ListTidier(tidy, queue);
	}

	@Override
	public CompletableFuture<String> open() {
		return this.steer.openLane(this.queue);
	}

	@Override
	public CompletableFuture<CommandReply> transmit(String lane, long seq, boolean renews,
			List<MessageCommand> commands, boolean again) {
		return this.steer.run(this.queue, lane, seq, commands).thenApply((reply) -> {
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
		return this.steer.checkLane(this.queue, lane);
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
