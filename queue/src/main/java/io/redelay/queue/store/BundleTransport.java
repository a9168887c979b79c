package io.redelay.queue.store;

import java.time.Instant;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/**
 * Sends requests with commands on the bundles of a queue.
 */
final class BundleTransport implements RequestTransport<BundleCommand, BundleReply> {

	private final BundleStore store;

	private final String queue;

	BundleTransport(BundleStore store, String queue) {
		this.store = store;
		this.queue = queue;
	}

	@Override
	public CompletableFuture<String> open() {
		return this.store.openLane(this.queue);
	}

	@Override
	public CompletableFuture<BundleReply> transmit(String lane, long seq, boolean renews, List<BundleCommand> commands,
			boolean again) {
		return this.store.command(this.queue, lane, seq, commands, again);
	}

	@Override
	public CompletableFuture<BundleReply> repeat(String lane, long seq, List<BundleCommand> commands) {
		return this.store.command(this.queue, lane, seq, commands, true);
	}

	@Override
	public CompletableFuture<SenderState> check(String lane) {
		return this.store.checkLane(this.queue, lane);
	}

	@Override
	public Instant time(BundleReply reply) {
		return reply.time();
	}

	@Override
	public LaneStatus status(BundleReply reply) {
		return reply.status();
	}

	@Override
	public boolean isTooMany(BundleReply reply) {
		return false;
	}

	@Override
	public BundleReply part(BundleReply reply, int first, int size) {
		return new BundleReply(reply.status(), reply.time(), reply.follows(),
				reply.answers().subList(first, first + size));
	}

	@Override
	public long bytes(BundleCommand command) {
		return command.bytes();
	}

}
