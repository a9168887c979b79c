package io.redelay.queue.admin;

import java.time.Instant;
import java.util.Set;

import io.redelay.queue.QueueException;

/**
 * Looks at topics and their groups, gives groups once more what was published, and
 * removes groups and topics. The {@link QueueAdmin} bean is one; what its description
 * says of names, waiting and exceptions holds here.
 * <p>
 * Safe for use by many threads.
 *
 * @since 0.1.0
 */
public interface TopicAdmin {

	/**
	 * The names of all topics that somebody has used, published to or listened to.
	 * @return the names, in alphabetical order
	 */
	Set<String> topics();

	/**
	 * Tells what groups a topic has, those that wait and those that are active.
	 * @param topic the topic
	 * @return the groups, and what is kept of what is published
	 * @throws UnknownQueueException if nobody has used the topic
	 */
	TopicInfo topic(String topic);

	/**
	 * Removes a group of a topic with all that it has collected: it gets nothing any
	 * more. What its handlers sent with their acknowledgements, and has not come to its
	 * queues, is lost. A listener that starts later registers the group again.
	 * @param topic the topic
	 * @param group the group
	 * @return how many messages were removed with it, dead ones included
	 * @throws UnknownQueueException if there is no such group
	 * @throws QueueException if somebody consumes from it
	 */
	long removeGroup(String topic, String group);

	/**
	 * Gives a group once more what was published to its topic, as far as that is kept
	 * ({@code redelay.queue.topics.<name>.retention}). Each message has the id that it
	 * had, so one with an id that the group has still is not added again; what has
	 * expired is passed over; what is published meanwhile comes in between. It goes on
	 * step by step, and what was added stays if it fails.
	 * @param topic the topic
	 * @param group the group
	 * @param since what was published at that time, by the clock of Redis, or later is
	 * given
	 * @return how many messages were given to the group, duplicates included
	 * @throws UnknownQueueException if there is no such group
	 * @throws QueueException if nothing is kept of the topic, or if the group is closed
	 * or full
	 */
	long replay(String topic, String group, Instant since);

	/**
	 * Deletes a topic with its groups, all that they have collected, and all that is
	 * kept. Whoever uses it again makes a new one.
	 * @param topic the topic
	 * @throws QueueException if somebody consumes from one of its groups
	 */
	void deleteTopic(String topic);

}
