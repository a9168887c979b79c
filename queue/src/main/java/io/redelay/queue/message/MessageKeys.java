package io.redelay.queue.message;

import java.time.Duration;
import java.util.Collection;
import java.util.Set;

import io.redelay.queue.limits.KeyName;
import io.redelay.queue.limits.TagName;
import org.jspecify.annotations.Nullable;

import org.springframework.util.Assert;

/**
 * The keys and the priority that decide when a message is delivered, besides its due
 * time, and the tags by which it is found. A message without any of them is plain.
 *
 * @param orderingKey the messages of this key are delivered one at a time, in the order
 * sent; or {@code null}
 * @param fairnessKey the messages of this key take turns with those of other keys; or
 * {@code null}
 * @param weight how many messages of the fairness key are delivered in its turn, 1 to
 * {@value #MAX_WEIGHT}
 * @param priority {@value #MAX_PRIORITY} goes first, 0 last; or {@code null} for
 * {@value #DEFAULT_PRIORITY}
 * @param ageing the head start that a level of priority is worth, so that less urgent
 * messages are not starved; or {@code null} if more urgent ones always go first. Must be
 * the same for all messages of a queue
 * @param deadHoldsKey whether the message still holds its ordering key when it is dead
 * @param tags the tags by which it is found
 * @since 0.1.0
 */
public record MessageKeys(@Nullable String orderingKey, @Nullable String fairnessKey, int weight,
		@Nullable Integer priority, @Nullable Duration ageing, boolean deadHoldsKey, Set<String> tags) {

	/**
	 * The keys of a plain message.
	 */
	public static final MessageKeys NONE = new MessageKeys(null, null, 1, null, null, false);

	/**
	 * The largest weight.
	 */
	public static final int MAX_WEIGHT = 100;

	/**
	 * The priority of messages that go first.
	 */
	public static final int MAX_PRIORITY = 9;

	/**
	 * The priority of a message for which none is given.
	 */
	public static final int DEFAULT_PRIORITY = 4;

	/**
	 * The longest ageing. Even its longest head start leaves a present due time after
	 * 1970.
	 */
	public static final Duration LONGEST_AGEING = Duration.ofDays(365);

	public MessageKeys {
		check("orderingKey", orderingKey);
		check("fairnessKey", fairnessKey);
		if (weight < 1 || weight > MAX_WEIGHT) {
			throw new IllegalArgumentException("'weight' must be 1 to " + MAX_WEIGHT + ": " + weight);
		}
		if (priority != null && (priority < 0 || priority > MAX_PRIORITY)) {
			throw new IllegalArgumentException("'priority' must be 0 to " + MAX_PRIORITY + ": " + priority);
		}
		if (ageing != null && (ageing.compareTo(Duration.ofMillis(1)) < 0 || ageing.compareTo(LONGEST_AGEING) > 0)) {
			throw new IllegalArgumentException("'ageing' must be 1ms to " + LONGEST_AGEING.toDays() + "d: " + ageing);
		}
		Assert.isTrue(!deadHoldsKey || orderingKey != null, "'deadHoldsKey' needs an ordering key");
		tags = TagName.checked(tags);
	}

	/**
	 * Creates the keys of a message without tags.
	 */
	public MessageKeys(@Nullable String orderingKey, @Nullable String fairnessKey, int weight,
			@Nullable Integer priority, @Nullable Duration ageing, boolean deadHoldsKey) {
		this(orderingKey, fairnessKey, weight, priority, ageing, deadHoldsKey, Set.of());
	}

	/**
	 * Returns the same keys with tags.
	 * @param tags by what the message is found
	 * @return the keys
	 */
	public MessageKeys tagged(Collection<String> tags) {
		return new MessageKeys(this.orderingKey, this.fairnessKey, this.weight, this.priority, this.ageing,
				this.deadHoldsKey, TagName.checked(tags));
	}

	private static void check(String name, @Nullable String key) {
		if (key != null) {
			String problem = KeyName.problem(key);
			if (problem != null) {
				throw new IllegalArgumentException("'" + name + "' " + problem);
			}
		}
	}

	/**
	 * Returns whether these are the keys of a plain message.
	 * @return {@code true} if nothing needs to be stored
	 */
	public boolean arePlain() {
		return this.orderingKey == null && this.fairnessKey == null && this.ageing == null
				&& (this.priority == null || this.priority == DEFAULT_PRIORITY) && this.tags.isEmpty();
	}

}
