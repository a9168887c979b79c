package io.redelay.queue.admin;

import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

import io.redelay.queue.MessageState;
import io.redelay.queue.QueueException;
import org.jspecify.annotations.Nullable;

/**
 * Looks at queues and acts on them and on single messages. There is a bean of this type.
 * <p>
 * A message is named by its id or uid; what {@link io.redelay.queue.SendResult#id()
 * SendResult} gave is always right. Of several messages of one id, of which all but one
 * are dead, the id names the living one, or else the newest. Each method asks Redis and
 * waits for the answer; each takes a bounded time there, however much a queue holds, and
 * those that have much to do go step by step. Nothing here takes part in transactions.
 * <p>
 * A queue that nobody has used is refused with an {@link UnknownQueueException}, an
 * argument that cannot be right with an {@link IllegalArgumentException}, and what the
 * state of a message or queue forbids with another {@link QueueException}. A Redis that
 * gives no answer for {@code redelay.queue.resend-timeout}, 30 s by default, ends in a
 * {@link QueueBackendException}. What reads messages or their deaths ends so at the first
 * answer that does not come within {@code spring.data.redis.timeout}.
 * <p>
 * Safe for use by many threads.
 *
 * @since 0.1.0
 */
public interface QueueAdmin {

	// Single messages

	/**
	 * Looks for a message.
	 * @param queue the queue
	 * @param id the message's id or uid
	 * @return the message, or nothing if it never was, is done, or was removed
	 */
	Optional<QueuedMessage> find(String queue, String id);

	/**
	 * Cancels a message. One that waits or is dead is removed. One that a handler has in
	 * hand goes on being handled but is not delivered again, whatever becomes of that;
	 * the handler can ask for it with
	 * {@link io.redelay.queue.Acknowledgment#isCancelled()}.
	 * @param queue the queue
	 * @param id the message's id or uid
	 * @return the state the message was in, and whether it is cancelled
	 */
	CommandOutcome cancel(String queue, String id);

	/**
	 * Cancels messages, each for itself; a thousand take no more than some trips.
	 * @param queue the queue
	 * @param ids the messages' ids or uids
	 * @return what became of each, in the same order
	 * @see #cancel(String, String)
	 */
	List<CommandOutcome> cancelAll(String queue, Collection<String> ids);

	/**
	 * Makes a message that waits due after a delay. One that is in hand, dead or unknown
	 * stays as it is.
	 * @param queue the queue
	 * @param id the message's id or uid
	 * @param delay how long from now; 0 to 3650 days, rounded up to milliseconds
	 * @return the state the message was in, and when it is due if that was changed
	 */
	CommandOutcome reschedule(String queue, String id, Duration delay);

	/**
	 * Makes a message that waits due at a point in time, by the clock of Redis. One that
	 * is in hand, dead or unknown stays as it is.
	 * @param queue the queue
	 * @param id the message's id or uid
	 * @param due when it is to be due, before 2469; at once if that has passed
	 * @return the state the message was in, and when it is due if that was changed
	 */
	CommandOutcome rescheduleAt(String queue, String id, Instant due);

	/**
	 * Makes a message that waits the next one to be delivered. One that is in hand, dead
	 * or unknown stays as it is.
	 * @param queue the queue
	 * @param id the message's id or uid
	 * @return the state the message was in
	 */
	CommandOutcome runNow(String queue, String id);

	/**
	 * Lets a message that waits die without being handled. One that is in hand, dead or
	 * unknown stays as it is.
	 * @param queue the queue
	 * @param id the message's id or uid
	 * @param reason why, for those who look at it later: up to 1,000 characters
	 * @return the state the message was in, and whether it is dead now
	 * @see io.redelay.queue.DeathReason#BURIED
	 */
	CommandOutcome bury(String queue, String id, String reason);

	/**
	 * Changes the payload, the number of attempts or the priority of a message that
	 * waits. One that is in hand, dead or unknown stays as it is.
	 * @param queue the queue
	 * @param id the message's id or uid
	 * @param change what to change
	 * @return the state the message was in, and whether it was changed
	 * @throws IllegalArgumentException if no sender could have sent it so: the payload is
	 * not of the message's content type or too long, or the queue cannot heed priorities
	 */
	CommandOutcome change(String queue, String id, MessageChange change);

	/**
	 * Removes a message that waits, is dead or is kept as completed. One that is in hand,
	 * or is being handed on to another queue, stays as it is.
	 * @param queue the queue
	 * @param id the message's id or uid
	 * @return the state the message was in, and whether it is gone
	 * @see #cancel
	 */
	CommandOutcome delete(String queue, String id);

	/**
	 * Removes a message that is still in the state in which its caller has seen it. Of
	 * somebody who redrives a dead message and somebody who deletes it, one wins.
	 * @param queue the queue
	 * @param id the message's id or uid
	 * @param expected the state
	 * @return the state the message was in, and whether it is gone
	 */
	CommandOutcome delete(String queue, String id, MessageState expected);

	// Many messages

	/**
	 * Starts a job that does something with many messages of a queue, in steps and if
	 * wanted at a rate. It is kept in Redis and goes on if the instance that carries it
	 * out dies: another one takes it over. What is sent, or dies, after it began is left
	 * alone.
	 * @param queue the queue
	 * @param request what to do with which messages
	 * @return the job, which has just begun
	 * @throws IllegalArgumentException if something is missing that the action needs
	 * @throws QueueException if 50 jobs run already, of all queues
	 */
	BulkJob startBulk(String queue, BulkRequest request);

	/**
	 * Lists the jobs of all queues: those that run, and the last hundred of those that
	 * have ended within a day.
	 * @return the jobs, the last one to begin first
	 */
	List<BulkJob> bulkJobs();

	/**
	 * Lists the jobs of a queue.
	 * @param queue the queue
	 * @return the jobs, the last one to begin first
	 */
	List<BulkJob> bulkJobs(String queue);

	/**
	 * Looks for a job.
	 * @param id its id
	 * @return the job, or nothing if there never was one or it ended long ago
	 */
	Optional<BulkJob> bulkJob(String id);

	/**
	 * Stops a job, unless it has ended. A step that is under way is finished.
	 * @param id its id
	 * @return the job, or nothing if there never was one or it ended long ago
	 */
	Optional<BulkJob> stopBulk(String id);

	// Dead messages

	/**
	 * Shows dead messages, the last one first. Only those that are shown are read.
	 * @param queue the queue
	 * @param filter which
	 * @param page the page, from 0
	 * @param size how many on a page, 1 to 500
	 * @return the messages, each with the history of its attempts
	 */
	QueuePage deadLetters(String queue, DeadLetterFilter filter, int page, int size);

	/**
	 * Counts dead messages by their cause, without reading them.
	 * @param queue the queue
	 * @return how many died of what, the most frequent cause first
	 */
	List<DeadLetterCount> deadLetterCounts(String queue);

	/**
	 * Counts dead messages by their cause, those that died last, without reading them.
	 * @param queue the queue
	 * @param most how many to look at, from 1
	 * @return how many of these died of what
	 */
	DeadLetterCauses deadLetterCauses(String queue, int most);

	/**
	 * Lets a dead message live again: it is ready at once, with no failure counted, and
	 * keeps the history of its attempts.
	 * @param queue the queue
	 * @param id the message's id or uid
	 * @throws QueueException if it is not dead, or if another message has its id by now
	 */
	void redrive(String queue, String id);

	/**
	 * Lets dead messages live again, those first that died first: with a limit, the
	 * oldest ones. What dies meanwhile is left out.
	 * @param queue the queue
	 * @param filter which
	 * @return how many live again
	 */
	RedriveResult redrive(String queue, DeadLetterFilter filter);

	/**
	 * Lets dead messages live again, those first that died first, one after the other:
	 * they are scheduled at a rate, so nobody need wait for it.
	 * @param queue the queue
	 * @param filter which
	 * @param perSecond how many become due a second, from 0.001 to 1,000,000
	 * @return how many live again
	 */
	RedriveResult redrive(String queue, DeadLetterFilter filter, double perSecond);

	// Messages of a tag

	/**
	 * Looks for messages by a tag, in whatever state: those that wait, are in hand or are
	 * dead first, then those that are kept as completed, and of a queue with several
	 * partitions one partition after the other. Only those that are shown are read. A
	 * message that moves meanwhile may be shown twice, and one that gets another uid, as
	 * by a redrive, may be missing.
	 * @param queue the queue
	 * @param tag the tag
	 * @param cursor {@code null} for the first page, or the cursor of the page before
	 * @param limit how many to show at most, 1 to 500
	 * @return the messages; fewer where they are large
	 */
	SearchPage findByTag(String queue, String tag, @Nullable String cursor, int limit);

	/**
	 * Cancels the messages of a tag, each as {@link #cancel} does, in steps: those that
	 * wait or are dead are removed, those in hand are not delivered again. What is kept
	 * as completed stays, and so may what is sent meanwhile.
	 * @param queue the queue
	 * @param tag the tag
	 * @return how many were cancelled or removed
	 */
	long cancelByTag(String queue, String tag);

	/**
	 * Lets the dead messages of a tag live again, in steps and in no order: each is ready
	 * at once, with no failure counted. What dies meanwhile is left out.
	 * @param queue the queue
	 * @param tag the tag
	 * @return how many live again
	 */
	RedriveResult redriveByTag(String queue, String tag);

	// Queues

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
	 * Lists the instances that consume from a queue. One that has died is listed until
	 * its lease has run out and somebody has taken over what it held.
	 * @param queue the queue
	 * @return the instances
	 */
	List<ConsumerInfo> consumers(String queue);

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
	 * Lists the ordering and fairness keys of a queue of which messages wait, those of
	 * which most wait first, and tells how much is used of its listeners' limits. It
	 * takes as long however many messages there are. Which limits there are is known from
	 * what instances tell, every five seconds.
	 * @param queue the queue
	 * @return at most 100 keys of each kind, and the limits
	 */
	WaitingKeys waitingKeys(String queue);

	/**
	 * Lists the instances of applications that have listeners, or have used a lock: what
	 * each told of itself within the last 15 seconds. One that ends tells so.
	 * @return at most 1,000 instances
	 */
	List<InstanceInfo> instances();

	/**
	 * Shows the messages in a state: the first due first, the next one first, or the last
	 * to die first; those in flight in no order. Of a queue with several partitions,
	 * those of the first partition come before those of the next one. A page may hold
	 * fewer than it could. It is read in steps of some 4 MB, and held in memory as a
	 * whole.
	 * @param queue the queue
	 * @param state the state, not {@link MessageState#UNKNOWN}
	 * @param page the page, from 0
	 * @param size how many on a page, 1 to 500
	 * @return the messages
	 */
	QueuePage browse(String queue, MessageState state, int page, int size);

	/**
	 * Searches the messages of a queue, one step. A step looks at some 1,000 messages or
	 * 4 MB at most and ends, with few messages or none, before it has seen all; the
	 * search goes on with the cursor that it gave. Messages that stay where they are are
	 * found by a search that goes on to its end; one that moves meanwhile may be missed,
	 * or found twice. The living come first, in no order, or as they are due if only
	 * {@link MessageState#SCHEDULED} is asked for; then the dead and the completed, the
	 * last one first. An id is looked up and not searched for.
	 * @param queue the queue
	 * @param filter which
	 * @param cursor where to go on, or {@code null} at first; one that a search of the
	 * same queue with the same filter gave
	 * @param limit how many messages to give, 1 to 500; of the living there may be some
	 * more, for Redis reads them by the handful
	 * @return what the step found, and where to go on
	 */
	SearchPage search(String queue, MessageFilter filter, @Nullable String cursor, int limit);

	/**
	 * Removes all messages in a state, in steps; those that come meanwhile may stay, and
	 * dead ones stay that are being handed on to another queue.
	 * @param queue the queue
	 * @param state the state: {@link MessageState#SCHEDULED}, {@link MessageState#READY},
	 * {@link MessageState#DEAD} or {@link MessageState#COMPLETED}
	 * @return how many were removed
	 */
	long purge(String queue, MessageState state);

	/**
	 * Stops the delivery of messages to all listeners of a queue, in all instances, until
	 * {@link #resume} is called. What listeners hold already, in a handler or prefetched,
	 * is still handled; senders send on. Kept in Redis: it also holds for instances that
	 * start later.
	 * @param queue the queue
	 */
	void pause(String queue);

	/**
	 * Resumes the delivery of messages.
	 * @param queue the queue
	 */
	void resume(String queue);

	/**
	 * Closes a queue for new messages, for all senders, until {@link #reopen} is called:
	 * they get a {@link io.redelay.queue.QueueClosedException}. What is there is
	 * delivered.
	 * @param queue the queue
	 */
	void close(String queue);

	/**
	 * Opens a queue for new messages again.
	 * @param queue the queue
	 */
	void reopen(String queue);

	/**
	 * Closes a queue for new messages, and waits until what is there is handled: until
	 * nothing is ready or in flight, nor due before the limit is over. If nothing is left
	 * of a queue with several partitions, nothing scheduled either, its keys are spread
	 * over as many partitions as are configured here; other instances learn of it within
	 * four times {@code redelay.queue.safety-poll-interval}, which is to be waited for
	 * before it is reopened.
	 * @param queue the queue
	 * @param limit how long to wait at most; 0 to 3650 days
	 * @return what is left; nothing is ready or in flight if the limit was long enough.
	 * The queue stays closed
	 */
	QueueInfo drain(String queue, Duration limit);

	/**
	 * Deletes a queue that has no messages, dead ones included.
	 * @param queue the queue
	 * @throws QueueException if it has messages
	 */
	void delete(String queue);

	/**
	 * Deletes a queue and all its messages, those that handlers have in hand included:
	 * what becomes of those is not known to anybody then. Whoever uses the queue again,
	 * as listeners that still run do, makes a new one.
	 * @param queue the queue
	 */
	void deleteWithMessages(String queue);

	// Topics

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

	// Bundles

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
