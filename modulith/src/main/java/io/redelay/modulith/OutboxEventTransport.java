package io.redelay.modulith;

import java.util.concurrent.CompletableFuture;

import io.redelay.outbox.OutboxOperations;
import io.redelay.queue.OutboundMessage;

import org.springframework.context.PayloadApplicationEvent;
import org.springframework.context.event.EventListener;
import org.springframework.modulith.events.EventExternalizationConfiguration;
import org.springframework.modulith.events.RoutingTarget;
import org.springframework.modulith.events.support.EventExternalizationTransport;
import org.springframework.modulith.events.support.OutboxEventExternalizer;
import org.springframework.modulith.events.support.OutboxEventExternalizerFactory;

/**
 * Writes events to the outbox of Redelay, in the transaction that publishes them. They
 * need no event publication of Modulith's then.
 *
 * @since 0.1.0
 */
public final class OutboxEventTransport implements EventExternalizationTransport {

	private final EventMessages messages;

	private final OutboxOperations outbox;

	private final EventExternalizationConfiguration configuration;

	private final OutboxEventExternalizer externalizer;

	/**
	 * Creates a transport.
	 * @param messages makes the messages
	 * @param outbox the outbox to which they are written
	 * @param configuration selects the events that are externalized
	 * @param externalizers creates their externalizer
	 */
	public OutboxEventTransport(EventMessages messages, OutboxOperations outbox,
			EventExternalizationConfiguration configuration, OutboxEventExternalizerFactory externalizers) {
		this.messages = messages;
		this.outbox = outbox;
		this.configuration = configuration;
		this.externalizer = externalizers.forTransport(this);
	}

	/**
	 * Externalizes an event on the thread that publishes it.
	 * @param event the event
	 */
	@EventListener
	public void on(PayloadApplicationEvent<?> event) {
		if (this.configuration.supports(event.getPayload())) {
			this.externalizer.externalizeBlocking(event.getPayload());
		}
	}

	@Override
	public CompletableFuture<?> externalize(Object payload, RoutingTarget target) {
		OutboundMessage message = this.messages.message(payload, target);
		return CompletableFuture.completedFuture(
				this.messages.isForTopic(payload, target) ? this.outbox.publish(message) : this.outbox.send(message));
	}

}
