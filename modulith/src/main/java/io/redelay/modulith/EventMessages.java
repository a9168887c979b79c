package io.redelay.modulith;

import java.util.LinkedHashMap;
import java.util.Map;

import io.redelay.queue.OutboundMessage;

import org.springframework.expression.EvaluationContext;
import org.springframework.modulith.events.EventExternalizationConfiguration;
import org.springframework.modulith.events.RoutingTarget;
import org.springframework.modulith.events.support.BrokerRouting;

/**
 * Makes messages of events: the key of an event's target is the ordering key, and the
 * headers that the configuration gives for an event are those of the message.
 *
 * @since 0.1.0
 */
public final class EventMessages {

	private final EventExternalizationConfiguration configuration;

	private final EvaluationContext context;

	/**
	 * Creates the maker of messages.
	 * @param configuration gives headers
	 * @param context where expressions of targets are evaluated
	 */
	public EventMessages(EventExternalizationConfiguration configuration, EvaluationContext context) {
		this.configuration = configuration;
		this.context = context;
	}

	boolean isForTopic(Object event, RoutingTarget target) {
		return destination(event, target).topic();
	}

	private EventDestination destination(Object event, RoutingTarget target) {
		return EventDestination.of(BrokerRouting.of(target, this.context).getTarget(event));
	}

	OutboundMessage message(Object event, RoutingTarget target) {
		OutboundMessage message = OutboundMessage.to(destination(event, target).name(), event).headers(headers(event));
		if (target.getKey() == null) {
			return message;
		}
		String key = BrokerRouting.of(target, this.context).getKey(event);
		if (key == null || key.isBlank()) {
			throw new IllegalStateException("The key '" + target.getKey() + "' of the target of "
					+ event.getClass().getName() + " is null or blank; correct the expression in @Externalized");
		}
		return message.orderingKey(key);
	}

	/**
	 * Headers of a message are strings, numbers and booleans.
	 */
	private Map<String, Object> headers(Object event) {
		Map<String, Object> headers = new LinkedHashMap<>();
		this.configuration.getHeadersFor(event).forEach((name, value) -> {
			boolean plain = value instanceof String || value instanceof Number || value instanceof Boolean;
			headers.put(name, plain ? value : String.valueOf(value));
		});
		return headers;
	}

}
