package io.redelay.outbox;

import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.List;

import io.redelay.queue.OutboundMessage;
import io.redelay.queue.PublishResult;
import io.redelay.queue.QueueOperations;
import io.redelay.queue.SendResult;

/**
 * Sends messages together with a transaction of the database: they are written to a table
 * of it, in the transaction that surrounds the call, and sent to Redis after the commit,
 * by this instance or by another one. So a message is sent if and only if the transaction
 * commits, no matter what crashes and whether Redis is there or not.
 * <p>
 * A message is checked, converted and shown to the interceptors at once, as by
 * {@link QueueOperations}. Delays count from when a relay first sees the message, which
 * is right after the commit. Results are estimates: {@code ADDED}, with the id that the
 * message has.
 * <p>
 * Safe for use by many threads.
 *
 * @since 0.1.0
 */
public interface OutboxOperations {

	/**
	 * Writes a message that is due at once.
	 * @param queue the queue
	 * @param payload the payload
	 * @return the result of its send if the transaction commits
	 * @throws OutboxException if there is no transaction to write it in
	 */
	default SendResult send(String queue, Object payload) {
		return send(OutboundMessage.to(queue, payload));
	}

	/**
	 * Writes a message that is due after a delay.
	 * @param queue the queue
	 * @param payload the payload
	 * @param delay how long after the commit; 0 to 3650 days, rounded up to milliseconds
	 * @return the result of its send if the transaction commits
	 * @throws OutboxException if there is no transaction to write it in
	 */
	default SendResult send(String queue, Object payload, Duration delay) {
		return send(OutboundMessage.to(queue, payload).delay(delay));
	}

	/**
	 * Writes a message that is due at a point in time by the clock of Redis.
	 * @param queue the queue
	 * @param payload the payload
	 * @param due when it is due, before 2469; at once if that has passed
	 * @return the result of its send if the transaction commits
	 * @throws OutboxException if there is no transaction to write it in
	 */
	default SendResult sendAt(String queue, Object payload, Instant due) {
		return send(OutboundMessage.to(queue, payload).dueAt(due));
	}

	/**
	 * Writes a message.
	 * @param message the message
	 * @return the result of its send if the transaction commits
	 * @throws OutboxException if there is no transaction to write it in, or the message
	 * has an option that an outbox does not support
	 */
	SendResult send(OutboundMessage message);

	/**
	 * Writes messages. After the commit they are sent one by one or in batches, each
	 * until it is sent.
	 * @param messages the messages, at most 10,000 and 16 MB a queue
	 * @return the result of each send if the transaction commits, in the same order
	 * @throws OutboxException if there is no transaction to write them in, or a message
	 * has an option that an outbox does not support
	 */
	List<SendResult> sendAll(Collection<OutboundMessage> messages);

	/**
	 * Writes a message for all groups that a topic has when the message is sent.
	 * @param topic the topic
	 * @param payload the payload
	 * @return the result of its send if the transaction commits, without groups
	 * @throws OutboxException if there is no transaction to write it in
	 */
	PublishResult publish(String topic, Object payload);

	/**
	 * Writes a message for all groups that a topic has when the message is sent.
	 * @param message the message, whose queue is the topic
	 * @return the result of its send if the transaction commits, without groups
	 * @throws OutboxException if there is no transaction to write it in, or the message
	 * has an option that an outbox does not support
	 */
	PublishResult publish(OutboundMessage message);

}
