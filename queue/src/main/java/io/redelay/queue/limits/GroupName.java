package io.redelay.queue.limits;

/**
 * The names that the store has for the groups of topics. What the group {@code billing}
 * of the topic {@code orders} collects is in the queue {@code orders@billing} of the
 * store: {@code @} is no part of the name of any queue, topic or group. The name of a
 * group that belongs to one instance begins with {@code _}.
 *
 * @since 0.1.0
 */
public final class GroupName {

	private static final char SEPARATOR = '@';

	private static final char OF_INSTANCE = '_';

	private GroupName() {
	}

	/**
	 * Returns the name that the store has for the queue of a group.
	 * @param topic the topic
	 * @param group the group
	 * @return the name
	 */
	public static String of(String topic, String group) {
		return topic + SEPARATOR + group;
	}

	/**
	 * Returns the name of the group of one instance.
	 * @param instance the instance's name in the store
	 * @return the name of its group
	 */
	public static String ofInstance(String instance) {
		return OF_INSTANCE + instance;
	}

	/**
	 * Returns the name that the store has for a topic where it has one for a queue.
	 * @param topic the topic
	 * @return the name
	 */
	public static String ofTopic(String topic) {
		return topic + SEPARATOR;
	}

	/**
	 * Whether a name is that of a group of a topic, and not that of a queue.
	 * @param name a name that the store has
	 * @return whether it is a group's
	 */
	public static boolean isGroup(String name) {
		return name.indexOf(SEPARATOR) >= 0;
	}

	/**
	 * Returns the topic of a group.
	 * @param name the name that the store has for the group
	 * @return the topic
	 */
	public static String topicOf(String name) {
		return name.substring(0, name.indexOf(SEPARATOR));
	}

	/**
	 * Returns the part of a name that is the group's.
	 * @param name the name that the store has for the group
	 * @return the group
	 */
	public static String groupOf(String name) {
		return name.substring(name.indexOf(SEPARATOR) + 1);
	}

	/**
	 * Whether a group belongs to one instance and ends with it.
	 * @param group the group
	 * @return whether it does
	 */
	public static boolean isOfInstance(String group) {
		return !group.isEmpty() && group.charAt(0) == OF_INSTANCE;
	}

	/**
	 * Returns a name for metrics, of which there are few: the groups of instances, which
	 * are new with each start, share one.
	 * @param queue the name of a queue, which may be that of a group
	 * @return the name, without the instance's if it is the group of one
	 */
	public static String lowCardinality(String queue) {
		return (isGroup(queue) && isOfInstance(groupOf(queue))) ? of(topicOf(queue), String.valueOf(OF_INSTANCE))
				: queue;
	}

	/**
	 * Checks the name of a topic.
	 * @param topic the name
	 * @return the name
	 * @throws IllegalArgumentException if it is not the name of a topic
	 */
	public static String checkTopic(String topic) {
		return QueueName.check("topic", topic, QueueName.isValid(topic));
	}

	/**
	 * Checks the name of a group.
	 * @param group the name
	 * @return the name
	 * @throws IllegalArgumentException if it is not the name of a group
	 */
	public static String checkGroup(String group) {
		return QueueName.check("group", group, QueueName.isValid(isOfInstance(group) ? group.substring(1) : group));
	}

	/**
	 * Checks the name of a queue, which may be that of a group.
	 * @param queue the name
	 * @return the name
	 * @throws IllegalArgumentException if it is not the name of a queue
	 */
	public static String checkQueue(String queue) {
		if (!isGroup(queue)) {
			return QueueName.check(queue);
		}
		checkTopic(topicOf(queue));
		checkGroup(groupOf(queue));
		return queue;
	}

}
