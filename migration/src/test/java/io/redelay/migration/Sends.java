package io.redelay.migration;

import java.util.Collection;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;

import io.redelay.queue.OutboundMessage;
import io.redelay.queue.PublishResult;
import io.redelay.queue.QueueOperations;
import io.redelay.queue.SendResult;

/**
 * Sends single messages by a function.
 *
 * @param function sends a message
 */
record Sends(Function<OutboundMessage, CompletableFuture<SendResult>> function) implements QueueOperations {

	@Override
	public CompletableFuture<SendResult> sendAsync(OutboundMessage message) {
		return this.function.apply(message);
	}

	@Override
	public SendResult send(OutboundMessage message) {
		return this.function.apply(message).join();
	}

	@Override
	public List<SendResult> sendAll(Collection<OutboundMessage> messages) {
		throw new UnsupportedOperationException();
	}

	@Override
	public PublishResult publish(OutboundMessage message) {
		throw new UnsupportedOperationException();
	}

	@Override
	public CompletableFuture<PublishResult> publishAsync(OutboundMessage message) {
		throw new UnsupportedOperationException();
	}

}
