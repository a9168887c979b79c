package io.redelay.autoconfigure;

import java.util.Map;

import io.redelay.queue.limits.GroupName;

import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.NestedConfigurationProperty;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.util.Assert;

/**
 * Configuration properties of single queues, topics, limits and recurring messages, and
 * of the dead messages of all queues.
 *
 * @param queues Properties of single queues, by name, which override the annotations of
 * their listeners.
 * @param topics Properties of single topics, by name.
 * @param limits Limits that several queues can share, by name.
 * @param recurring Messages that are sent again and again, by name.
 * @param deadLetters Properties of dead messages.
 * @since 0.1.0
 */
@ConfigurationProperties("redelay.queue")
public record NamedQueueProperties(@DefaultValue Map<String, SingleQueueProperties> queues,
		@DefaultValue Map<String, TopicProperties> topics, @DefaultValue Map<String, SharedLimitProperties> limits,
		@DefaultValue Map<String, RecurringMessageProperties> recurring,
		@NestedConfigurationProperty @DefaultValue QueueDeadLettersProperties deadLetters) {

	/**
	 * Checks the values.
	 */
	public NamedQueueProperties {
		deadLetters.redrive().toRule("redelay.queue.dead-letters.redrive");
		for (Map.Entry<String, SingleQueueProperties> queue : queues.entrySet()) {
			check(queue.getKey(), queue.getValue());
			queue.getValue().toDeadLetters(queue.getKey(), deadLetters.redrive());
		}
	}

	private static void check(String name, SingleQueueProperties queue) {
		checkQueue(name);
		Assert.isTrue(queue.storage().delay() == null || !GroupName.isGroup(name),
				() -> "'redelay.queue.queues[" + name + "].delay' must not be set, for all groups of a topic get a"
						+ " message at the time that its publisher names: " + queue.storage().delay());
		Assert.isTrue(!queue.inlet().enabled() || !GroupName.isGroup(name),
				() -> "'redelay.queue.queues[" + name + "].inlet.enabled' must not be set, for a group of a topic gets"
						+ " what is published. Use the inlet of a queue");
	}

	private static void checkQueue(String name) {
		try {
			GroupName.checkQueue(name);
		}
		catch (IllegalArgumentException ex) {
			// Spring Boot shows the innermost cause, so this one has none.
			throw new IllegalArgumentException("'redelay.queue.queues' names '" + name
					+ "', which cannot be a queue or a group: begin with a letter or a digit, and use up to 128 letters,"
					+ " digits, '.', '_' and '-', or name a group like 'orders@billing'");
		}
	}

}
