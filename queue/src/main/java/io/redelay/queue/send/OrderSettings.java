package io.redelay.queue.send;

import java.time.Duration;
import java.util.Objects;
import java.util.Set;

import io.redelay.queue.DeliveryOrder;
import io.redelay.queue.MessageSendException;
import io.redelay.queue.OutboundMessage;
import io.redelay.queue.limits.KeyName;
import io.redelay.queue.message.MessageKeys;
import io.redelay.template.MessageScope;
import io.redelay.template.MessageTemplate;
import io.redelay.template.NumberTemplate;
import io.redelay.template.TemplateException;
import org.jspecify.annotations.Nullable;

/**
 * What decides when messages to one queue are delivered, where their senders do not.
 *
 * @param orderingKey the ordering key, or {@code null} for none
 * @param fairnessKey the fairness key, or {@code null} for none
 * @param fairnessWeight the weight of the fairness key, or {@code null} for 1
 * @param priority the priority, or {@code null} for the usual one
 * @param priorityAgeing how much earlier than another message one of the next higher
 * priority is taken to have come, or {@code null} if the higher priority always goes
 * first
 * @param deadHoldsKey whether messages behind a dead one of the same ordering key wait
 * @since 0.1.0
 */
public record OrderSettings(@Nullable MessageTemplate orderingKey, @Nullable MessageTemplate fairnessKey,
		@Nullable NumberTemplate fairnessWeight, @Nullable NumberTemplate priority, @Nullable Duration priorityAgeing,
		boolean deadHoldsKey) {

	/**
	 * Nothing but the due time.
	 */
	public static final OrderSettings NONE = new OrderSettings(null, null, null, null, null, false);

	/**
	 * The longest {@link #priorityAgeing()}.
	 */
	public static final Duration LONGEST_AGEING = MessageKeys.LONGEST_AGEING;

	/**
	 * Checks the values.
	 */
	public OrderSettings {
		if (priorityAgeing != null && (priorityAgeing.toMillis() < 1 || priorityAgeing.compareTo(LONGEST_AGEING) > 0)) {
			throw new IllegalArgumentException("'priorityAgeing' must be 1 ms to 365 days: " + priorityAgeing);
		}
	}

	/**
	 * Fills in what the sender did not say.
	 * @param message the message
	 * @param id the id that the message has, or else its uid
	 * @return what decides
	 * @throws MessageSendException if a template gives nothing that can be used
	 */
	DeliveryOrder complete(OutboundMessage message, String id) {
		DeliveryOrder own = message.order();
		if (equals(NONE) && own.deadHoldsKey() == null) {
			return own;
		}
		MessageScope scope = new MessageScope(message.queue(), id, message.payload(), message.headers());
		try {
			String ordering = key(own.orderingKey(), this.orderingKey, scope);
			String fairness = key(own.fairnessKey(), this.fairnessKey, scope);
			if (Boolean.TRUE.equals(own.deadHoldsKey()) && ordering == null) {
				throw new MessageSendException(
						message + " is to hold its ordering key when it is dead, and has none; set orderingKey, or "
								+ "'redelay.queue.queues." + message.queue() + ".ordering-key'",
						null);
			}
			boolean holds = ordering != null && ((own.deadHoldsKey() != null) ? own.deadHoldsKey() : this.deadHoldsKey);
			Integer weight = (own.weight() == null && fairness != null) ? number(this.fairnessWeight, scope)
					: own.weight();
			Integer priority = (own.priority() != null) ? own.priority() : number(this.priority, scope);
			return new DeliveryOrder(ordering, holds, fairness, weight, priority);
		}
		catch (TemplateException ex) {
			throw new MessageSendException(message + " was not sent: " + ex.getMessage(), ex);
		}
	}

	private static @Nullable String key(@Nullable String own, @Nullable MessageTemplate template, MessageScope scope) {
		if (own != null || template == null) {
			return own;
		}
		String key = template.text(scope);
		String problem = KeyName.problem(key);
		if (problem != null) {
			throw new TemplateException("the key that " + template + " gives " + problem, null);
		}
		return key;
	}

	private static @Nullable Integer number(@Nullable NumberTemplate template, MessageScope scope) {
		return (template != null) ? template.number(scope) : null;
	}

	/**
	 * Returns the order as the store keeps it.
	 * @param tags by what the message is found
	 * @return the keys, or {@code null} for a message without tags that is ordered only
	 * by its due time
	 */
	@Nullable MessageKeys keys(DeliveryOrder order, Set<String> tags) {
		if (order.orderingKey() == null && order.fairnessKey() == null && order.priority() == null
				&& this.priorityAgeing == null && tags.isEmpty()) {
			return null;
		}
		return new MessageKeys(order.orderingKey(), order.fairnessKey(), Objects.requireNonNullElse(order.weight(), 1),
				order.priority(), this.priorityAgeing, Boolean.TRUE.equals(order.deadHoldsKey()), tags);
	}

}
