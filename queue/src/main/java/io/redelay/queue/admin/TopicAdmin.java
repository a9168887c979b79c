package io.redelay.queue.admin;

import java.time.Instant;
import java.util.Set;

import io.redelay.queue.QueueException;

/**
 * Looks at topics and their groups, replays published messages to groups, and removes
 * groups and topics. It is returned by {@link QueueAdmin#topics()}; what the description
 * of {@link QueueAdmin} says of names, waiting and exceptions holds here.
 * <p>
 * Safe for use by many threads.
 *
 * @since 0.1.0
 */
public interface TopicAdmin {

	/**
	 * Returns the names of all topics that an application has published to or listened
	 * to.
	 * @return the names, in alphabetical order
	 */
	Set<String> names();

	/**
	 * Returns the groups of a topic, those that wait and those that are active.
	 * @param topic the topic
	 * @return the groups, and what the topic retains
	 * @throws UnknownQueueException if the topic was never used
	 */
	TopicInfo info(String topic);

	/**
	 * Removes a group of a topic with all messages that it has collected. It gets no more
	 * messages. Messages that its handlers sent with their acknowledgements are lost if
	 * they have not reached their queues yet. A listener that starts later registers the
	 * group again.
	 * @param topic the topic
	 * @param group the group
	 * @return how many messages were removed with it, dead ones included
	 * @throws UnknownQueueException if there is no such group
	 * @throws QueueException if an instance consumes from it
	 */
	long removeGroup(String topic, String group);

	/**
	 * Gives a group once more the messages that were published to its topic, as far as
	 * they are kept ({@code redelay.queue.topics.<name>.retention}). Each message keeps
	 * its id, so one whose id the group still has is not added again. Expired messages
	 * are skipped, and messages published meanwhile come in between. It goes step by
	 * step; if it fails, the messages added so far stay.
	 * @param topic the topic
	 * @param group the group
	 * @param since the time, by the clock of Redis, from which on published messages are
	 * given
	 * @return how many messages were given to the group, duplicates included
	 * @throws UnknownQueueException if there is no such group
	 * @throws QueueException if nothing is kept of the topic, or if the group is closed
	 * or full
	 */
	long replay(String topic, String group, Instant since);

	/**
	 * Deletes a topic with its groups, all that they have collected, and all that is
	 * kept. The next use of its name creates a new topic.
	 * @param topic the topic
	 * @throws QueueException if an instance consumes from one of its groups
	 */
	void delete(String topic);

}
