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
record TopicResolver(ListenerAttributes attributes, UnaryOperator<String> instanceGroups) {

	/**
	 * The name that the store has for the queue of the group, or {@code null} if the
	 * listener does not listen to a topic.
	 */
	@Nullable String queue() {
		QueueListener annotation = this.attributes.annotation();
		String topic = this.attributes.text("topic", annotation.topic());
		String group = this.attributes.text("group", annotation.group());
		if (topic == null) {
			refuseWithoutTopic(group);
			return null;
		}
		if (annotation.queues().length > 0) {
			throw this.attributes.invalid("topic", "'queues' is given as well",
					"Leave one of them out: a listener listens to queues or to a topic; two listeners can call the same"
							+ " method of another bean");
		}
		if (!annotation.deadLettersOf().isEmpty()) {
			throw this.attributes.invalid("topic", "'deadLettersOf' is given as well",
					"Leave one of them out: dead messages of a group are in the queue '" + topic
							+ "@<group>', and 'deadLetterQueue' hands them on to a queue");
		}
		this.attributes.checkedName("topic", "topic", topic);
		return GroupName.of(topic, (group != null) ? this.attributes.checkedName("group", "group", group)
				: this.instanceGroups.apply(topic));
	}

	private void refuseWithoutTopic(@Nullable String group) {
		QueueListener annotation = this.attributes.annotation();
		if (group != null || !annotation.group().isEmpty()) {
			throw this.attributes.invalid("group", "no topic is named for the group '" + group + "'",
					"Name it, as in @QueueListener(topic = \"orders\", group = \"billing\"), or leave the group out:"
							+ " the messages of a queue go to one of its listeners anyway");
		}
		if (!annotation.topic().isEmpty()) {
			throw this.attributes.invalid("topic", "'" + annotation.topic() + "' is empty",
					"Set what it refers to, or leave the attribute out and name queues");
		}
	}

}
