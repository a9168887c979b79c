package io.redelay.queue;

import io.redelay.queue.limits.KeyName;
import org.jspecify.annotations.Nullable;

/**
 * What decides when an {@link OutboundMessage} that is due is delivered, compared with
 * others. Where a value is {@code null}, the queue's properties decide.
 *
 * @param orderingKey messages of one ordering key are handled one at a time, in the order
 * in which they were sent
 * @param deadHoldsKey whether, once the message is dead, the messages behind it wait
 * until it is delivered again or deleted
 * @param fairnessKey the fairness keys that have messages waiting take turns
 * @param weight how many messages of the fairness key are delivered each time it is its
 * turn, 1 to {@value #LARGEST_WEIGHT}
 * @param priority 0 to {@value #HIGHEST_PRIORITY}, the highest one first
 * @since 0.1.0
 */
public record DeliveryOrder(@Nullable String orderingKey, @Nullable Boolean deadHoldsKey, @Nullable String fairnessKey,
		@Nullable Integer weight, @Nullable Integer priority) {

	/**
	 * The highest priority, which is delivered first.
	 */
	public static final int HIGHEST_PRIORITY = 9;

	/**
	 * The largest weight.
	 */
	public static final int LARGEST_WEIGHT = 100;

	static final DeliveryOrder NONE = new DeliveryOrder(null, null, null, null, null);

	/**
	 * Validates the values.
	 */
	public DeliveryOrder {
		checkKey("orderingKey", orderingKey);
		checkKey("fairnessKey", fairnessKey);
		if (weight != null && (weight < 1 || weight > LARGEST_WEIGHT)) {
			throw new IllegalArgumentException("'weight' must be 1 to " + LARGEST_WEIGHT + ": " + weight);
		}
		if (priority != null && (priority < 0 || priority > HIGHEST_PRIORITY)) {
			throw new IllegalArgumentException("'priority' must be 0 to " + HIGHEST_PRIORITY + ": " + priority);
		}
	}

	private static void checkKey(String name, @Nullable String key) {
		if (key != null) {
			String problem = KeyName.problem(key);
			if (problem != null) {
				throw new IllegalArgumentException("'" + name + "' " + problem + ": '" + key + "'");
			}
		}
	}

	DeliveryOrder orderingKey(String key) {
		return new DeliveryOrder(key, this.deadHoldsKey, this.fairnessKey, this.weight, this.priority);
	}

	DeliveryOrder deadHoldsKey(boolean holds) {
		return new DeliveryOrder(this.orderingKey, holds, this.fairnessKey, this.weight, this.priority);
	}

	DeliveryOrder fairnessKey(String key, @Nullable Integer weight) {
		return new DeliveryOrder(this.orderingKey, this.deadHoldsKey, key, weight, this.priority);
	}

	DeliveryOrder priority(int priority) {
		return new DeliveryOrder(this.orderingKey, this.deadHoldsKey, this.fairnessKey, this.weight, priority);
	}

}
