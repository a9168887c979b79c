package io.redelay.queue.store;

import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;

import io.redelay.queue.store.redis.QueueNames;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

/**
 * Sends requests that add messages to a queue.
 */
final class SendTransport implements RequestTransport<NewMessage, SendReply> {

	private static final Log logger = LogFactory.getLog(SendTransport.class);

	private final DelayQueueStore store;

	private final String queue;

	private final @Nullable LengthLimit limit;

	private final @Nullable Duration handedOver;

	private final Consumer<String> requested;

	/**
	 * Creates a transport.
	 * @param handedOver for how long the queue remembers the uids, or {@code null}
	 * @param requested called with the queue before each request leaves
	 */
	SendTransport(DelayQueueStore store, String queue, @Nullable LengthLimit limit, @Nullable Duration handedOver,
			Consumer<String> requested) {
		this.store = store;
		this.queue = queue;
		this.limit = limit;
		this.handedOver = handedOver;
		this.requested = requested;
	}

	@Override
	public CompletableFuture<String> open() {
		String opened = this.store.newLane();
		// In this order: see QueueNames#forget.
		return this.store.openSender(this.queue, opened)
			.thenCompose((open) -> this.store.register(this.queue))
			.thenApply((registered) -> opened);
	}

	@Override
	public CompletableFuture<SendReply> transmit(String lane, long seq, boolean renews, List<NewMessage> messages,
			boolean again) {
		this.requested.accept(this.queue);
		return this.store
			.send(this.queue,
					new SendRequest(lane, seq, renews, messages, again ? null : this.limit,
							again ? SendRequest.HOLD_BACK : null, false, this.handedOver, CopiesRequest.of(messages)))
			.thenApply((reply) -> reported(this.queue, reply));
	}

	/**
	 * Logs which messages were dropped to make room.
	 */
	static SendReply reported(String queue, SendReply reply) {
		if (!reply.dropped().isEmpty()) {
			logger.warn("The queue '" + queue + "' is full, and dropped " + reply.dropped().size()
					+ " message(s) that had waited longest: " + reply.dropped());
		}
		return reply;
	}

	@Override
	public CompletableFuture<SendReply> repeat(String lane, long seq, List<NewMessage> messages, boolean unknown) {
		return this.store.send(this.queue, new SendRequest(lane, seq, false, messages, null,
				SendRequest.holdBack(unknown), true, this.handedOver, null));
	}

	@Override
	public CompletableFuture<SenderState> check(String lane) {
		return this.store.checkSender(this.queue, lane);
	}

	@Override
	public Instant time(SendReply reply) {
		return reply.time();
	}

	@Override
	public LaneStatus status(SendReply reply) {
		return reply.status();
	}

	@Override
	public boolean isTooMany(SendReply reply) {
		return reply.status() == LaneStatus.FULL || reply.status() == LaneStatus.OVERDUE;
	}

	@Override
	public SendReply part(SendReply reply, int first, int size) {
		if (reply.fates().isEmpty()) {
			return reply;
		}
		Map<Integer, SendReply.Fate> part = new HashMap<>();
		reply.fates().forEach((position, fate) -> {
			if (position >= first && position < first + size) {
				part.put(position - first, fate);
			}
		});
		return new SendReply(reply.status(), reply.time(), part, reply.dropped(), reply.copies(), reply.overdue(),
				reply.fullLine());
	}

	@Override
	public long bytes(NewMessage message) {
		return message.envelope().length;
	}

}
