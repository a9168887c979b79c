package io.redelay.queue.store;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;

import org.jspecify.annotations.Nullable;

/**
 * Sends to a queue for all of an instance. Messages sent while requests are on the wire
 * wait, and go together in the next one. Messages given together go together, all or
 * none.
 * <p>
 * Safe for use by many threads. Futures complete on threads that must not be blocked.
 *
 * @since 0.1.0
 */
public final class SendBatcher extends RequestBatcher<NewMessage, SendReply> {

	private static final int MAX_MESSAGES = 1000;

	/**
	 * Creates a batcher, whose lanes are opened when they are first used.
	 * @param store the store
	 * @param queue the queue
	 * @param maxWaiting how many messages wait at most; more are refused
	 * @param limit how long the queue may be, if that is limited
	 */
	public SendBatcher(DelayQueueStore store, String queue, int maxWaiting, @Nullable LengthLimit limit) {
		this(store, queue, maxWaiting, limit, SenderMemory.RENEWAL, SenderMemory.RECOGNISED, ByteBudget.unlimited(),
				(requested) -> {
				});
	}

	/**
	 * Creates a batcher for messages that are kept elsewhere until the queue has them,
	 * and that several instances may send, each with the same uid.
	 * @param store the store
	 * @param queue the queue
	 * @param maxWaiting how many messages wait at most; more are refused
	 * @param limit how long the queue may be, if that is limited
	 * @param handedOver for how long the queue remembers a uid, so that a repeated
	 * message is ignored
	 */
	public SendBatcher(DelayQueueStore store, String queue, int maxWaiting, @Nullable LengthLimit limit,
			Duration handedOver) {
		this(store, queue, maxWaiting, new SendTransport(store, queue, limit, handedOver, (requested) -> {
		}), SenderMemory.RENEWAL, SenderMemory.RECOGNISED, ByteBudget.unlimited());
	}

	SendBatcher(DelayQueueStore store, String queue, int maxWaiting, @Nullable LengthLimit limit, Duration renewal,
			Duration recognised, ByteBudget budget, Consumer<String> requested) {
		this(store, queue, maxWaiting, new SendTransport(store, queue, limit, null, requested), renewal, recognised,
				budget);
	}

	private SendBatcher(DelayQueueStore store, String queue, int maxWaiting, SendTransport transport, Duration renewal,
			Duration recognised, ByteBudget budget) {
		super(new BatcherSettings(queue, Rollback.Lane.SENDER, MAX_MESSAGES, maxWaiting, renewal, recognised),
				transport, budget, store.replayMemory());
	}

	/**
	 * Sends messages, all or none; they come behind messages sent in this way before.
	 * @param messages the messages
	 * @return what became of them
	 */
	public CompletableFuture<SendReply> send(List<NewMessage> messages) {
		return submit(messages, true);
	}

	/**
	 * Sends messages, all or none, for a caller that waits for the answer before it sends
	 * anything else: so there is no order to keep.
	 * @param messages the messages
	 * @return what became of them
	 */
	public CompletableFuture<SendReply> sendUnordered(List<NewMessage> messages) {
		return submit(messages, false);
	}

}
