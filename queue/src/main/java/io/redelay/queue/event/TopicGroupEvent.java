package io.redelay.queue.event;

/**
 * A group of a topic was removed, or was found to be missing. Published as an application
 * event in one instance: the one that noticed it.
 *
 * @param topic the topic
 * @param group the group; the name of one that belongs to an instance begins with
 * {@code _}
 * @param type what happened
 * @param messages how many messages the group had collected, dead ones included, that are
 * gone with it
 * @since 0.1.0
 */
public record TopicGroupEvent(String topic, String group, Type type, long messages) {

	/**
	 * What happens to a group.
	 */
	public enum Type {

		/**
		 * It had no consumer for as long as it may live without one, and was removed.
		 */
		EXPIRED,

		/**
		 * It was removed by {@code QueueAdmin}, or because the listener of the instance
		 * that it belonged to stopped.
		 */
		REMOVED,

		/**
		 * This instance consumes from it and found that it was not registered any more:
		 * it was removed, or Redis went back in time. It is registered again; what was
		 * published meanwhile did not reach it.
		 */
		MISSED

	}

}
