package io.redelay.queue.store;

import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;

import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

/**
 * Sends to a queue for all of an instance. What is sent while requests are on their way
 * waits, and goes together in the next one; what is given together goes together, all or
 * none.
 * <p>
 * Safe for use by many threads. Futures complete on threads that must not be blocked.
 *
 * @since 0.1.0
 */
public final class SendBatcher extends RequestBatcher<NewMessage, SendReply> {

	private static final Log logger = LogFactory.getLog(SendBatcher.class);

	private static final int MAX_MESSAGES = 1000;

	private final DelayQueueStore store;

	private final String queue;

	private final @Nullable LengthLimit limit;

	/**
	 * Creates a batcher, whose lanes are opened when they are first used.
	 * @param store the store
	 * @param queue the queue
	 * @param maxWaiting how many messages wait at most; more are refused
	 * @param limit how long the queue may be, if that is limited
	 */
	public SendBatcher(DelayQueueStore store, String queue, int maxWaiting, @Nullable LengthLimit limit) {
		this(store, queue, maxWaiting, limit, SenderMemory.RENEWAL, SenderMemory.RECOGNISED, ByteBudget.unlimited());
	}

	SendBatcher(DelayQueueStore store, String queue, int maxWaiting, @Nullable LengthLimit limit, Duration renewal,
			Duration recognised, ByteBudget budget) {
		super(queue, MAX_MESSAGES, maxWaiting, renewal, recognised, budget, Rollback.Lane.SENDER, store.replayMemory());
		this.store = store;
		this.queue = queue;
		this.limit = limit;
	}

	/**
	 * Sends messages, all or none; they come behind what was sent in this way before.
	 * @param messages the messages
	 * @return what became of them
	 */
	public CompletableFuture<SendReply> send(List<NewMessage> messages) {
		return submit(messages, true);
	}

	/**
	 * Sends messages, all or none, for somebody who waits for the answer before sending
	 * anything else: so there is no order to keep.
	 * @param messages the messages
	 * @return what became of them
	 */
	public CompletableFuture<SendReply> sendUnordered(List<NewMessage> messages) {
		return submit(messages, false);
	}

	@Override
	CompletableFuture<String> open() {
		String opened = this.store.newLane();
		return this.store.register(this.queue)
			.thenCompose((registered) -> this.store.openSender(this.queue, opened))
			.thenApply((open) -> opened);
	}

	@Override
	CompletableFuture<SendReply> transmit(String lane, long seq, boolean renews, List<NewMessage> messages,
			boolean again) {
		return this.store
			.send(this.queue, new SendRequest(lane, seq, renews, messages, again ? null : this.limit, again, false))
			.thenApply((reply) -> {
				if (!reply.dropped().isEmpty()) {
					logger.warn("The queue '" + this.queue + "' is full, and dropped " + reply.dropped().size()
							+ " message(s) that had waited longest: " + reply.dropped());
				}
				return reply;
			});
	}

	@Override
	CompletableFuture<SendReply> repeat(String lane, long seq, List<NewMessage> messages) {
		return this.store.send(this.queue, new SendRequest(lane, seq, false, messages, null, true, true));
	}

	@Override
	CompletableFuture<SenderState> check(String lane) {
		return this.store.checkSender(this.queue, lane);
	}

	@Override
	Instant time(SendReply reply) {
		return reply.time();
	}

	@Override
	LaneStatus status(SendReply reply) {
		return reply.status();
	}

	@Override
	boolean isTooMany(SendReply reply) {
		return reply.status() == LaneStatus.FULL;
	}

	@Override
	SendReply part(SendReply reply, int first, int size) {
		if (reply.duplicates().isEmpty()) {
			return reply;
		}
		Map<Integer, SendReply.Duplicate> part = new HashMap<>();
		reply.duplicates().forEach((position, duplicate) -> {
			if (position >= first && position < first + size) {
				part.put(position - first, duplicate);
			}
		});
		return new SendReply(reply.status(), reply.time(), part, reply.dropped());
	}

	@Override
	long bytes(NewMessage message) {
		return message.envelope().length;
	}

}
