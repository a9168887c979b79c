package io.redelay.queue.admin;

import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * Tells what queues hold, who consumes from them, what happened to them in the last hour,
 * and why one is behind. The {@link QueueAdmin} bean is one; what its description says of
 * names, waiting and exceptions holds here.
 * <p>
 * Safe for use by many threads.
 *
 * @since 0.1.0
 */
public interface QueueInspector {

	/**
	 * The names of all queues that somebody has used, sent to or listened to.
	 * @return the names, in alphabetical order
	 */
	Set<String> queues();

	/**
	 * Counts a queue's messages by state, and tells what else is known of it. What waits
	 * although its time to live is over expires first, as it does before a look at a page
	 * of messages.
	 * @param queue the queue
	 * @return the numbers
	 */
	QueueInfo info(String queue);

	/**
	 * Counts the messages of all queues.
	 * @return the numbers by the queue's name, in alphabetical order
	 */
	Map<String, QueueInfo> infos();

	/**
	 * Lists the instances that consume from a queue. One that has died is listed until
	 * its lease has run out and somebody has taken over what it held.
	 * @param queue the queue
	 * @return the instances
	 */
	List<ConsumerInfo> consumers(String queue);

	/**
	 * Lists the instances of applications that have listeners, or have used a lock: what
	 * each told of itself within the last 15 seconds. One that ends tells so.
	 * @return at most 1,000 instances
	 */
	List<InstanceInfo> instances();

	/**
	 * Tells why a queue is behind, or that it is not: what stands in the way of its
	 * messages, the most hindering first, each with the figures it follows from and what
	 * to do about it. It costs two scripts a partition, and few more however many
	 * instances there are. What instances do is known to five seconds, and rates are
	 * those of the last one or two minutes. Messages are counted whose time to live is
	 * over and that are still there.
	 * @param queue the queue
	 * @return the diagnosis
	 */
	QueueDiagnosis diagnose(String queue);

	/**
	 * Tells what happened to a queue in the last hour, minute by minute, in all
	 * instances. Each instance adds what it has counted every five seconds, or less often
	 * if it has more than 500 busy queues, and when it stops; what an instance counted
	 * that died since is missing. Needs {@code redelay.queue.stats.enabled}, as by
	 * default, in all instances that are to be counted.
	 * @param queue the queue
	 * @return the last 60 minutes; zeros where nothing was counted
	 */
	QueueHistory history(String queue);

	/**
	 * Tells what happened to queues in the last hour. A hundred of them are asked for at
	 * a time.
	 * @param queues the queues
	 * @return the history of each, in the same order; of a queue that nobody has used,
	 * one of zeros
	 * @see #history(String)
	 */
	Map<String, QueueHistory> histories(Collection<String> queues);

	/**
	 * Lists the ordering and fairness keys of a queue of which messages wait, those of
	 * which most wait first, and tells how much is used of its listeners' limits. It
	 * takes as long however many messages there are. Which limits there are is known from
	 * what instances tell, every five seconds.
	 * @param queue the queue
	 * @return at most 100 keys of each kind, and the limits
	 */
	WaitingKeys waitingKeys(String queue);

	/**
	 * Looks for the messages that have a key to deduplicate by. Each of the three ways of
	 * {@link io.redelay.queue.Deduplication} has keys of its own, and so has each
	 * partition of a queue.
	 * @param queue the queue
	 * @param key the key; 1 to 256 characters, none of them a control character
	 * @return one for each way and partition in which a message has the key now
	 */
	List<DeduplicationKey> deduplicationKeys(String queue, String key);

	/**
	 * Checks all that Redis keeps of a queue: that each message is in exactly one state,
	 * that lanes hold what they say, that lines, ids, tags and keys belong to messages
	 * that are there, and that recorded sizes are right. It changes nothing, may run
	 * while the queue is used, and takes one script for each 500 entries; of each part of
	 * the queue it looks at up to a million.
	 * @param queue the queue
	 * @return what was found
	 */
	QueueCheck check(String queue);

	/**
	 * Lists the bundles of messages that have not ended.
	 * @param queue the queue of their callbacks
	 * @return at most 1,000 of them, by their ids
	 */
	List<BundleInfo> bundles(String queue);

	/**
	 * Looks for a bundle of messages.
	 * @param queue the queue of its callback
	 * @param id its id
	 * @return the bundle, or nothing if there never was one or it has ended
	 */
	Optional<BundleInfo> bundle(String queue, String id);

}
