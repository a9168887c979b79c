package io.redelay.queue.admin;

import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.Optional;

import io.redelay.queue.MessageState;
import org.jspecify.annotations.Nullable;

/**
 * Looks at messages of queues, and acts on single ones and on those of a tag. It is
 * returned by {@link QueueAdmin#messages()}; what the description of {@link QueueAdmin}
 * says of names, waiting and exceptions holds here.
 * <p>
 * Safe for use by many threads.
 *
 * @since 0.1.0
 */
public interface MessageAdmin {

	/**
	 * Looks for a message.
	 * @param queue the queue
	 * @param id the message's id or uid
	 * @return the message, or nothing if it never existed, was removed, or is done and
	 * not kept
	 */
	Optional<QueuedMessage> find(String queue, String id);

	/**
	 * Shows the messages in a state, a page at a time. Scheduled ones come as they are
	 * due, ready ones as they are delivered, dead and completed ones from the last to the
	 * first, and those in flight in no order. Of a queue with several partitions, those
	 * of the first partition come before those of the next one. A page may hold fewer
	 * than it could. It is read in steps of some 4 MB, and held in memory as a whole.
	 * @param queue the queue
	 * @param state the state, not {@link MessageState#UNKNOWN}
	 * @param page the page, from 0
	 * @param size how many on a page, 1 to 500
	 * @return the messages
	 */
	QueuePage browse(String queue, MessageState state, int page, int size);

	/**
	 * Searches the messages of a queue, one step. A step looks at some 1,000 messages or
	 * 4 MB at most, so it may end with few messages or none before it has seen all. The
	 * search goes on with the cursor that it gave. A search that goes on to its end finds
	 * all messages that do not move; one that moves meanwhile may be missed, or found
	 * twice. The living come first, in no order, or as they are due if only
	 * {@link MessageState#SCHEDULED} is asked for; those of the far future that are
	 * packed come before them. Then come the dead and the completed, the last one first.
	 * After Redis has restarted or failed over, those in no order come once more from the
	 * first one on. An id is looked up and not searched for.
	 * @param queue the queue
	 * @param filter which
	 * @param cursor {@code null} at first, then the cursor that a search of the same
	 * queue with the same filter gave
	 * @param limit how many messages to give, 1 to 500; there may be some more living
	 * ones, because Redis reads them in batches
	 * @return the messages that the step found, and the next cursor
	 */
	SearchPage search(String queue, MessageFilter filter, @Nullable String cursor, int limit);

	/**
	 * Looks for messages by a tag, in any state. Those that wait, are in hand or are dead
	 * come first, then those kept as completed. Several partitions of a queue come one
	 * after the other. Only messages that are shown are read. A message that moves
	 * meanwhile may be shown twice, and one that gets another uid, as by a redrive, may
	 * be missing.
	 * @param queue the queue
	 * @param tag the tag
	 * @param cursor {@code null} for the first page, or the cursor of the page before
	 * @param limit how many to show at most, 1 to 500
	 * @return the messages; fewer where they are large
	 */
	SearchPage findByTag(String queue, String tag, @Nullable String cursor, int limit);

	/**
	 * Cancels a message. One that waits or is dead is removed. The handling of one that a
	 * handler has in hand goes on, but the message is not delivered again, however that
	 * ends. The handler finds out with
	 * {@link io.redelay.queue.Acknowledgment#isCancelled()}.
	 * @param queue the queue
	 * @param id the message's id or uid
	 * @return the state the message was in, and whether it is cancelled
	 */
	CommandOutcome cancel(String queue, String id);

	/**
	 * Cancels messages one by one; a thousand take only a few trips to Redis.
	 * @param queue the queue
	 * @param ids the messages' ids or uids
	 * @return the outcome for each, in the same order
	 * @see #cancel(String, String)
	 */
	List<CommandOutcome> cancelAll(String queue, Collection<String> ids);

	/**
	 * Cancels the messages of a tag, each as {@link #cancel} does, in steps: those that
	 * wait or are dead are removed, those in hand are not delivered again. Messages kept
	 * as completed stay, and messages sent meanwhile may stay.
	 * @param queue the queue
	 * @param tag the tag
	 * @return how many were cancelled or removed
	 */
	long cancelByTag(String queue, String tag);

	/**
	 * Makes a waiting message due after a delay. One that is in hand, dead or unknown
	 * stays as it is.
	 * @param queue the queue
	 * @param id the message's id or uid
	 * @param delay how long from now; 0 to 3650 days, rounded up to milliseconds
	 * @return the state the message was in, and when it is due if that was changed
	 */
	CommandOutcome reschedule(String queue, String id, Duration delay);

	/**
	 * Makes a waiting message due at a point in time, by the clock of Redis. One that is
	 * in hand, dead or unknown stays as it is.
	 * @param queue the queue
	 * @param id the message's id or uid
	 * @param due when it is to be due, before 2469; at once if that has passed
	 * @return the state the message was in, and when it is due if that was changed
	 */
	CommandOutcome rescheduleAt(String queue, String id, Instant due);

	/**
	 * Makes a waiting message the next one to be delivered. One that is in hand, dead or
	 * unknown stays as it is.
	 * @param queue the queue
	 * @param id the message's id or uid
	 * @return the state the message was in
	 */
	CommandOutcome runNow(String queue, String id);

	/**
	 * Makes a waiting message die without being handled. One that is in hand, dead or
	 * unknown stays as it is.
	 * @param queue the queue
	 * @param id the message's id or uid
	 * @param reason why, shown with the dead message: up to 1,000 characters
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
	 * @throws IllegalArgumentException if no sender could have sent the changed message:
	 * the payload is not of the message's content type or too long, or the queue cannot
	 * apply priorities
	 */
	CommandOutcome change(String queue, String id, MessageChange change);

	/**
	 * Removes a message that waits, is dead or is kept as completed. One that is in hand,
	 * or is being moved to another queue, stays as it is.
	 * @param queue the queue
	 * @param id the message's id or uid
	 * @return the state the message was in, and whether it is gone
	 * @see #cancel
	 */
	CommandOutcome delete(String queue, String id);

	/**
	 * Removes a message if it is still in the state in which the caller has seen it. If
	 * one caller redrives a dead message and another deletes it, one of them wins.
	 * @param queue the queue
	 * @param id the message's id or uid
	 * @param expected the state
	 * @return the state the message was in, and whether it is gone
	 */
	CommandOutcome delete(String queue, String id, MessageState expected);

}
