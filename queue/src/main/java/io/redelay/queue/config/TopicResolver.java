package io.redelay.queue.config;

import java.util.function.UnaryOperator;

import io.redelay.queue.QueueListener;
import io.redelay.queue.limits.GroupName;
import org.jspecify.annotations.Nullable;

/**
 * Determines from which group of a topic a listener takes messages.
 *
 * @param attributes resolves the attributes
 * @param instanceGroups creates the name of a further group of this instance, for a topic
 */
record TopicResolver(AttributeResolver attributes, UnaryOperator<String> instanceGroups) {

	/**
	 * The name that the store has for the queue of the group, or {@code null} if the
	 * listener does not listen to a topic.
	 */
	@Nullable String queue(QueueListenerEndpoint endpoint) {
		QueueListener annotation = endpoint.annotation();
		String topic = this.attributes.text(endpoint, "topic", annotation.topic());
		String group = this.attributes.text(endpoint, "group", annotation.group());
		if (topic == null) {
			refuseWithoutTopic(endpoint, group);
			return null;
		}
		if (annotation.queues().length > 0) {
			throw endpoint.invalid("topic", "'queues' is given as well",
					"Leave one of them out: a listener listens to queues or to a topic; two listeners can call the same"
							+ " method of another bean");
		}
		if (!annotation.deadLettersOf().isEmpty()) {
			throw endpoint.invalid("topic", "'deadLettersOf' is given as well",
					"Leave one of them out: dead messages of a group are in the queue '" + topic
							+ "@<group>', and 'deadLetterQueue' hands them on to a queue");
		}
		endpoint.checkedName("topic", "topic", topic);
		return GroupName.of(topic,
				(group != null) ? endpoint.checkedName("group", "group", group) : this.instanceGroups.apply(topic));
	}

	private static void refuseWithoutTopic(QueueListenerEndpoint endpoint, @Nullable String group) {
		QueueListener annotation = endpoint.annotation();
		if (group != null || !annotation.group().isEmpty()) {
			throw endpoint.invalid("group", "no topic is named for the group '" + group + "'",
					"Name it, as in @QueueListener(topic = \"orders\", group = \"billing\"), or leave the group out:"
							+ " the messages of a queue go to one of its listeners anyway");
		}
		if (!annotation.topic().isEmpty()) {
			throw endpoint.invalid("topic", "'" + annotation.topic() + "' is empty",
					"Set what it refers to, or leave the attribute out and name queues");
		}
	}

}
