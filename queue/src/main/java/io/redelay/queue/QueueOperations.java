package io.redelay.queue;

import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/**
 * Sends messages to queues, and publishes them to topics. When a send returns, the
 * message is in Redis; when it throws, it is not, except for a
 * {@link SendOutcomeUnknownException}: then no answer came.
 * <p>
 * A message's payload is checked and converted at once. Inside a Spring transaction the
 * message is sent after the commit, unless {@link OutboundMessage#inTransaction(boolean)}
 * or {@code redelay.queue.send.after-commit} says otherwise, and not at all after a
 * rollback; a failure after the commit reaches the caller of the transaction.
 * <p>
 * {@link SendInterceptor}s are around each send, and may refuse it with an exception of
 * their own.
 * <p>
 * Safe for use by many threads; sends that are made while another one to the same queue
 * is on its way are batched.
 *
 * @since 0.1.0
 */
public interface QueueOperations {

	/**
	 * Sends a message that is due at once, or after the delay that
	 * {@code redelay.queue.queues.<name>.delay} has for the queue.
	 * @param queue the queue
	 * @param payload the payload
	 * @return what became of it
	 * @throws MessageSendException if it was not sent
	 */
	default SendResult send(String queue, Object payload) {
		return send(OutboundMessage.to(queue, payload));
	}

	/**
	 * Sends a message that is due after a delay.
	 * @param queue the queue
	 * @param payload the payload
	 * @param delay how long from its arrival at Redis; 0 to 3650 days, rounded up to
	 * milliseconds
	 * @return what became of it
	 * @throws MessageSendException if it was not sent
	 */
	default SendResult send(String queue, Object payload, Duration delay) {
		return send(OutboundMessage.to(queue, payload).delay(delay));
	}

	/**
	 * Sends a message that is due at a point in time by the clock of Redis.
	 * @param queue the queue
	 * @param payload the payload
	 * @param due when it is due, before 2469; at once if that has passed
	 * @return what became of it
	 * @throws MessageSendException if it was not sent
	 */
	default SendResult sendAt(String queue, Object payload, Instant due) {
		return send(OutboundMessage.to(queue, payload).dueAt(due));
	}

	/**
	 * Sends a message to the queue that {@code redelay.queue.send.default-queue} names.
	 * @param payload the payload
	 * @return what became of it
	 * @throws MessageSendException if it was not sent
	 * @throws IllegalStateException if the property is not set
	 * @throws UnsupportedOperationException if these operations have no default queue
	 */
	default SendResult send(Object payload) {
		throw new UnsupportedOperationException(getClass().getName() + " has no default queue");
	}

	/**
	 * Sends a message.
	 * @param message the message
	 * @return what became of it
	 * @throws MessageSendException if it was not sent
	 */
	SendResult send(OutboundMessage message);

	/**
	 * Sends messages; for each queue all of them or none, in one trip.
	 * @param messages the messages, at most 10,000 and 16 MB a queue
	 * @return what became of each, in the same order
	 * @throws MessageSendException if those for a queue were not sent; those for other
	 * queues may have been
	 * @throws IllegalArgumentException if there are too many for a queue; nothing was
	 * sent
	 */
	List<SendResult> sendAll(Collection<OutboundMessage> messages);

	/**
	 * Sends a message to the queue that {@code redelay.queue.send.default-queue} names,
	 * without waiting.
	 * @param payload the payload
	 * @return what became of it
	 * @throws IllegalStateException if the property is not set
	 * @throws UnsupportedOperationException if these operations have no default queue
	 * @see #sendAsync(OutboundMessage)
	 */
	default CompletableFuture<SendResult> sendAsync(Object payload) {
		throw new UnsupportedOperationException(getClass().getName() + " has no default queue");
	}

	/**
	 * Sends a message that is due at once, without waiting.
	 * @param queue the queue
	 * @param payload the payload
	 * @return what became of it
	 * @see #sendAsync(OutboundMessage)
	 */
	default CompletableFuture<SendResult> sendAsync(String queue, Object payload) {
		return sendAsync(OutboundMessage.to(queue, payload));
	}

	/**
	 * Sends a message that is due after a delay, without waiting.
	 * @param queue the queue
	 * @param payload the payload
	 * @param delay how long from its arrival at Redis; 0 to 3650 days, rounded up to
	 * milliseconds
	 * @return what became of it
	 * @see #sendAsync(OutboundMessage)
	 */
	default CompletableFuture<SendResult> sendAsync(String queue, Object payload, Duration delay) {
		return sendAsync(OutboundMessage.to(queue, payload).delay(delay));
	}

	/**
	 * Sends a message that is due at a point in time by the clock of Redis, without
	 * waiting.
	 * @param queue the queue
	 * @param payload the payload
	 * @param due when it is due, before 2469; at once if that has passed
	 * @return what became of it
	 * @see #sendAsync(OutboundMessage)
	 */
	default CompletableFuture<SendResult> sendAtAsync(String queue, Object payload, Instant due) {
		return sendAsync(OutboundMessage.to(queue, payload).dueAt(due));
	}

	/**
	 * Sends a message without waiting. What one thread sends to a queue in this way is
	 * added to it in that order.
	 * @param message the message
	 * @return what became of it; fails with a {@link MessageSendException}. Completes on
	 * a thread that may be blocked
	 */
	CompletableFuture<SendResult> sendAsync(OutboundMessage message);

	/**
	 * Publishes a message that is due at once to a topic.
	 * @param topic the topic
	 * @param payload the payload
	 * @return what became of it
	 * @throws MessageSendException if it was not published, to no group
	 * @see #publish(OutboundMessage)
	 */
	default PublishResult publish(String topic, Object payload) {
		return publish(OutboundMessage.to(topic, payload));
	}

	/**
	 * Publishes a message to a topic: each group that is registered when it arrives at
	 * Redis gets a copy of its own, all groups or none, in one trip. All that holds for a
	 * send holds for each copy: delay, id, time to live, keys and deduplication. What
	 * {@code redelay.queue.queues} has for a queue of the topic's name does not. A group
	 * that is closed, or has as many messages as it may, refuses the message for all.
	 * @param message the message, whose queue is the name of the topic
	 * @return what became of it in each group; in none if the topic has no group
	 * @throws MessageSendException if it was not published, to no group
	 */
	PublishResult publish(OutboundMessage message);

	/**
	 * Publishes a message that is due at once to a topic, without waiting.
	 * @param topic the topic
	 * @param payload the payload
	 * @return what became of it
	 * @see #publishAsync(OutboundMessage)
	 */
	default CompletableFuture<PublishResult> publishAsync(String topic, Object payload) {
		return publishAsync(OutboundMessage.to(topic, payload));
	}

	/**
	 * Publishes a message to a topic without waiting. What one thread publishes to a
	 * topic in this way comes to each group in that order.
	 * @param message the message, whose queue is the name of the topic
	 * @return what became of it; fails with a {@link MessageSendException}. Completes on
	 * a thread that may be blocked
	 */
	CompletableFuture<PublishResult> publishAsync(OutboundMessage message);

	/**
	 * Sends a message and waits for what its handler returns, in any instance that is: a
	 * value, or the one with which a {@link java.util.concurrent.CompletionStage} or a
	 * {@code Mono} completes. It is {@code null} if the handler returns nothing, takes
	 * batches, or acknowledges by itself before it returns. Nothing blocks meanwhile.
	 * <p>
	 * The future fails with a {@link MessageSendException} if the message was not sent,
	 * and with a {@link MessageResultException} if it died, was cancelled, expired or was
	 * removed, or if its result cannot be kept or read. It waits as long as the message
	 * does: {@link CompletableFuture#orTimeout} gives up, and leaves the message as it
	 * is. In a Spring transaction the message is sent after the commit: a caller that
	 * blocks on the future before that waits forever.
	 * <p>
	 * The result is kept for an hour, or as the queue retains completed messages, so that
	 * {@link #result} finds it after this instance has ended.
	 * @param message the message
	 * @param type the type of the result, to which its JSON is converted
	 * @param <T> the type of the result
	 * @return completes with the result, on a thread that may be blocked
	 * @throws UnsupportedOperationException if these operations cannot wait for results
	 */
	default <T> CompletableFuture<T> sendForResult(OutboundMessage message, Class<T> type) {
		throw new UnsupportedOperationException(getClass().getName() + " cannot wait for results");
	}

	/**
	 * Waits for what the handler of a message returns, or returns it at once if it is
	 * there. The message was sent with {@link #sendForResult}, by any instance, or its
	 * queue keeps results.
	 * @param queue the queue
	 * @param id the id of the message, see {@link SendResult#id()}
	 * @param type the type of the result, to which its JSON is converted
	 * @param <T> the type of the result
	 * @return completes like that of {@link #sendForResult}
	 * @throws UnsupportedOperationException if these operations cannot wait for results
	 */
	default <T> CompletableFuture<T> result(String queue, String id, Class<T> type) {
		throw new UnsupportedOperationException(getClass().getName() + " cannot wait for results");
	}

}
