package io.redelay.modulith;

import java.util.concurrent.CompletableFuture;

import io.redelay.queue.OutboundMessage;
import io.redelay.queue.QueueOperations;

import org.springframework.modulith.events.RoutingTarget;
import org.springframework.modulith.events.support.EventExternalizationTransport;

/**
 * Sends events to queues and topics. An event's publication is complete when Redis has
 * the message.
 *
 * @since 0.1.0
 */
public final class QueueEventTransport implements EventExternalizationTransport {

	private final EventMessages messages;

	private final QueueOperations queues;

	/**
	 * Creates a transport.
	 * @param messages makes the messages
	 * @param queues sends them
	 */
	public QueueEventTransport(EventMessages messages, QueueOperations queues) {
		this.messages = messages;
		this.queues = queues;
	}

	/**
	 * Sends at once, for Modulith has waited for the commit.
	 */
	@Override
	public CompletableFuture<?> externalize(Object payload, RoutingTarget target) {
		OutboundMessage message = this.messages.message(payload, target).inTransaction(false);
		return this.messages.isForTopic(payload, target) ? this.queues.publishAsync(message)
				: this.queues.sendAsync(message);
	}

}
