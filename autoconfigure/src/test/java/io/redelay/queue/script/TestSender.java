package io.redelay.queue.script;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;

import io.redelay.queue.message.LengthLimit;
import io.redelay.queue.message.NewMessage;
import io.redelay.queue.request.ReplayMemory;
import io.redelay.queue.request.RequestBatcher;
import io.redelay.queue.request.RequestProtocol;
import io.redelay.queue.request.SendReply;
import org.jspecify.annotations.Nullable;

/**
 * Sends messages to a queue through a batcher of their own.
 */
public final class TestSender {

	private final RequestBatcher<NewMessage, SendReply> batcher;

	public TestSender(QueueScripts store, String queue, int maxWaiting, @Nullable LengthLimit limit) {
		this(store, queue, maxWaiting, limit, null);
	}

	/**
	 * Sends messages whose uids the queue remembers for a time.
	 */
	public TestSender(QueueScripts store, String queue, int maxWaiting, @Nullable LengthLimit limit,
			@Nullable Duration handedOver) {
		this(store.sends().protocol(queue, new SendScripts.Terms(maxWaiting, limit, handedOver)), store.replayMemory());
	}

	public TestSender(RequestProtocol<NewMessage, SendReply> protocol, ReplayMemory memory) {
		this.batcher = new RequestBatcher<>(protocol, memory);
	}

	/**
	 * Sends messages behind those that were sent in this way before.
	 */
	public CompletableFuture<SendReply> send(List<NewMessage> messages) {
		return this.batcher.submit(messages, true);
	}

	public CompletableFuture<SendReply> sendUnordered(List<NewMessage> messages) {
		return this.batcher.submit(messages, false);
	}

}
