package io.redelay.queue.store;

import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;

import org.jspecify.annotations.Nullable;

/**
 * Sends requests that take entries out of the inlet of a queue.
 */
final class InletTransport implements RequestTransport<TakenEntry, SendReply> {

	private final DelayQueueStore store;

	private final String queue;

	private final @Nullable LengthLimit limit;

	private final long longest;

	InletTransport(DelayQueueStore store, String queue, @Nullable LengthLimit limit, long longest) {
		this.store = store;
		this.queue = queue;
		this.limit = limit;
		this.longest = longest;
	}

	@Override
	public CompletableFuture<String> open() {
		String opened = this.store.newLane();
		return this.store.register(this.queue)
			.thenCompose((registered) -> this.store.openSender(this.queue, opened))
			.thenApply((open) -> opened);
	}

	/**
	 * If an earlier lane may have taken the entries, others with the same text may be the
	 * first ones by now. So none is taken: the caller reads the inlet again.
	 */
	@Override
	public CompletableFuture<SendReply> transmit(String lane, long seq, boolean renews, List<TakenEntry> entries,
			boolean again) {
		TakeOverRequest request = new TakeOverRequest(lane, seq, renews, again ? List.of() : entries, this.limit, null);
		return this.store.inlets()
			.takeOver(this.queue, request, this.longest)
			.thenApply((reply) -> (again && reply.status() == LaneStatus.OK)
					? new SendReply(LaneStatus.MOVED, reply.time(), Map.of(), List.of())
					: SendTransport.reported(this.queue, reply));
	}

	@Override
	public CompletableFuture<SendReply> repeat(String lane, long seq, List<TakenEntry> entries, boolean unknown) {
		return this.store.inlets()
			.takeOver(this.queue, new TakeOverRequest(lane, seq, false, entries, null, SendRequest.holdBack(unknown)),
					this.longest);
	}

	/**
	 * An entry that was read in part cannot be found in the inlet by its text. It is
	 * taken again if it is back.
	 */
	@Override
	public List<TakenEntry> repeatable(List<TakenEntry> entries) {
		return entries.stream().filter((each) -> !each.entry().isCut()).toList();
	}

	@Override
	public CompletableFuture<SenderState> check(String lane) {
		return this.store.checkSender(this.queue, lane);
	}

	@Override
	public LaneStatus status(SendReply reply) {
		return reply.status();
	}

	@Override
	public Instant time(SendReply reply) {
		return reply.time();
	}

	@Override
	public boolean isTooMany(SendReply reply) {
		return false;
	}

	/**
	 * The batcher of this transport gets one submission at a time.
	 */
	@Override
	public SendReply part(SendReply reply, int first, int size) {
		return reply;
	}

	@Override
	public long bytes(TakenEntry entry) {
		return entry.bytes();
	}

}
