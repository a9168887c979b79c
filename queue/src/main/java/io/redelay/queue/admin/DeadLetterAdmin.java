package io.redelay.queue.admin;

import java.time.Instant;
import java.util.List;
import java.util.Optional;

import io.redelay.queue.QueueException;
import io.redelay.queue.RedriveRule;

/**
 * Shows dead messages, counts them by their causes, and redrives them. It is returned by
 * {@link QueueAdmin#deadLetters()}; what the description of {@link QueueAdmin} says of
 * names, waiting and exceptions holds here.
 * <p>
 * Safe for use by many threads.
 *
 * @since 0.1.0
 */
public interface DeadLetterAdmin {

	/**
	 * Shows dead messages, the last one first. Only those that are shown are read.
	 * @param queue the queue
	 * @param filter which
	 * @param page the page, from 0
	 * @param size how many on a page, 1 to 500
	 * @return the messages, each with the history of its attempts
	 */
	QueuePage browse(String queue, DeadLetterFilter filter, int page, int size);

	/**
	 * Counts dead messages by their cause, without reading them.
	 * @param queue the queue
	 * @return how many died of what, the most frequent cause first
	 */
	List<DeadLetterCount> counts(String queue);

	/**
	 * Counts dead messages by their cause, those that died last, without reading them.
	 * @param queue the queue
	 * @param most how many to look at, from 1
	 * @return how many of these died of what
	 */
	DeadLetterCauses causes(String queue, int most);

	/**
	 * Returns the rule by which the dead messages of a queue are redriven automatically.
	 * The instances announce their rules every five seconds.
	 * @param queue the queue
	 * @return the rule and when it is carried out next; nothing if no instance that
	 * listens to the queue has a rule
	 */
	Optional<RedriveStatus> redriveStatus(String queue);

	/**
	 * Redrives a dead message: it is ready at once, with no failure counted, and keeps
	 * the history of its attempts. Rounds of a {@link RedriveRule} are counted anew for
	 * it, as for all messages that are redriven here by id, filter or tag.
	 * @param queue the queue
	 * @param id the message's id or uid
	 * @throws QueueException if it is not dead, or if another message has its id now
	 */
	void redrive(String queue, String id);

	/**
	 * Redrives a dead message as {@link #redrive(String, String)} does, to be due at a
	 * time: so one that was buried before its time is not handled too early.
	 * @param queue the queue
	 * @param id the message's id or uid
	 * @param due when it is due
	 * @throws QueueException if it is not dead, or if another message has its id now
	 */
	void redriveAt(String queue, String id, Instant due);

	/**
	 * Redrives a dead message as the next round of its queue's {@link RedriveRule}, now.
	 * The time and the number of rounds in the rule are ignored; the round is counted
	 * with the message.
	 * @param queue the queue
	 * @param id the message's id or uid
	 * @throws QueueException if it is not dead, or if another message has its id now
	 */
	void redriveRound(String queue, String id);

	/**
	 * Redrives dead messages, those first that died first: with a limit, the oldest ones.
	 * Messages that die meanwhile are left out.
	 * @param queue the queue
	 * @param filter which
	 * @return how many were redriven
	 */
	RedriveResult redrive(String queue, DeadLetterFilter filter);

	/**
	 * Redrives dead messages, those first that died first, one after the other: they are
	 * scheduled at a rate, so the call need not wait.
	 * @param queue the queue
	 * @param filter which
	 * @param perSecond how many become due a second, from 0.001 to 1,000,000
	 * @return how many were redriven
	 */
	RedriveResult redrive(String queue, DeadLetterFilter filter, double perSecond);

	/**
	 * Redrives the dead messages of a tag, in steps and in no order: each is ready at
	 * once, with no failure counted. Messages that die meanwhile are left out.
	 * @param queue the queue
	 * @param tag the tag
	 * @return how many were redriven
	 */
	RedriveResult redriveByTag(String queue, String tag);

}
