package io.redelay.queue.admin;

import java.time.Instant;
import java.time.ZoneId;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * Shows what queues hold, which instances consume from them, what happened to them in the
 * last hour, day or month, and why one is behind. It is returned by
 * {@link QueueAdmin#queues()}; what the description of {@link QueueAdmin} says of names,
 * waiting and exceptions holds here.
 * <p>
 * Safe for use by many threads.
 *
 * @since 0.1.0
 */
public interface QueueInspector {

	/**
	 * Returns what time it is by the clock of Redis, which all times of messages, queues
	 * and instances are by. It is asked for once in ten seconds; while Redis gives no
	 * answer, the time goes on from the last one, or is that of this JVM.
	 * @return the time
	 */
	Instant now();

	/**
	 * Returns the names of all queues that an application has sent to or listened to.
	 * @return the names, in alphabetical order
	 */
	Set<String> names();

	/**
	 * Counts a queue's messages by state, and returns what else is known of it. Waiting
	 * messages whose time to live is over expire first, as they do before a page of
	 * messages is read.
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
	 * Lists the instances that consume from a queue. An instance that has died is listed
	 * until its lease has run out and another lane has taken over the messages that it
	 * held.
	 * @param queue the queue
	 * @return the instances
	 */
	List<ConsumerInfo> consumers(String queue);

	/**
	 * Lists the instances of applications that have listeners, or have used a lock: what
	 * each announced of itself within the last 15 seconds. An instance that stops removes
	 * its announcement.
	 * @return at most 1,000 instances
	 */
	List<InstanceInfo> instances();

	/**
	 * Finds why a queue is behind, or that it is not. The findings say what stands in the
	 * way of its messages, the most hindering first, each with its figures and a remedy.
	 * It costs two scripts a partition, and few more however many instances there are.
	 * What instances do is known to five seconds, and rates are those of the last one or
	 * two minutes. Messages whose time to live is over are counted while they are still
	 * there.
	 * @param queue the queue
	 * @return the diagnosis
	 */
	QueueDiagnosis diagnose(String queue);

	/**
	 * Returns what happened to a queue in the last hour, minute by minute, in all
	 * instances. Each instance adds its counts every five seconds, or less often if it
	 * has more than 500 busy queues, and when it stops. If an instance dies, the counts
	 * that it has not added yet are missing. Needs {@code redelay.queue.stats.enabled},
	 * as by default, in all instances that are to be counted.
	 * @param queue the queue
	 * @return the last 60 minutes; zeros where nothing was counted
	 */
	QueueHistory history(String queue);

	/**
	 * Returns what happened to queues in the last hour. It reads a hundred queues at a
	 * time.
	 * @param queues the queues
	 * @return the history of each, in the same order; zeros for a queue that was never
	 * used
	 * @see #history(String)
	 */
	Map<String, QueueHistory> histories(Collection<String> queues);

	/**
	 * Returns what happened to a queue in the last day or month, in all instances. It is
	 * counted as in {@link #history(String)}, and kept for as long although the queue is
	 * not used, or until it is deleted or forgotten.
	 * @param queue the queue
	 * @param span how far to look back
	 * @return the steps of that time; zeros where nothing was counted
	 */
	LongHistory history(String queue, LongHistory.Span span);

	/**
	 * Returns what happened around a queue in the last month: what was done to it, and
	 * which instances came and went on its server. Of each Redis keeps the last 200;
	 * beyond that, starts and stops of instances go before anything else.
	 * @param queue the queue
	 * @return at most 400, the oldest first
	 */
	List<HistoryMark> marks(String queue);

	/**
	 * Counts when how many scheduled messages are due, and compares that with what the
	 * handlers can do. It reads counts only, one for each bar and partition, so that it
	 * takes as long however many messages there are. The messages of a bar are found by
	 * {@link MessageAdmin#search} with {@link MessageFilter#dueAfter} and
	 * {@link MessageFilter#dueBefore}, and moved by a job with
	 * {@link BulkAction#RESCHEDULE}.
	 * @param queue the queue
	 * @param span how far to look ahead
	 * @param zone the time zone in which hours and days begin
	 * @return the calendar
	 */
	QueueCalendar calendar(String queue, QueueCalendar.Span span, ZoneId zone);

	/**
	 * Lists the ordering and fairness keys of a queue that have waiting messages, those
	 * with most first, and how much of its listeners' limits is used. The time that it
	 * takes does not depend on the number of messages. The limits are those that
	 * instances announce every five seconds.
	 * @param queue the queue
	 * @return at most 100 keys of each kind, and the limits
	 */
	WaitingKeys waitingKeys(String queue);

	/**
	 * Looks for the messages that have a key to deduplicate by. Each of the three ways of
	 * {@link io.redelay.queue.Deduplication} has its own keys, and each partition of a
	 * queue, too.
	 * @param queue the queue
	 * @param key the key; 1 to 256 characters, none of them a control character
	 * @return one for each way and partition in which a message has the key now
	 */
	List<DeduplicationKey> deduplicationKeys(String queue, String key);

	/**
	 * Checks all that Redis keeps of a queue. Each message must be in exactly one state,
	 * and lanes must hold what they record. Lines, ids, tags and keys must belong to
	 * messages that exist, and recorded sizes must be right. It corrects a wrong number
	 * of packed messages, brings those of a chunk near that has more than it says, and
	 * changes nothing else. It may run while the queue is used. It takes one script for
	 * each 500 entries, and one for each chunk of packed messages. It looks at up to a
	 * million entries of each part of the queue.
	 * @param queue the queue
	 * @return the problems found
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
