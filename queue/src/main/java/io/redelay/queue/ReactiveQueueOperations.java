package io.redelay.queue;

import java.time.Duration;
import java.time.Instant;

import reactor.core.publisher.Mono;

/**
 * Sends messages to queues, and publishes them to topics, without blocking. Nothing is
 * sent before a subscription, and each subscription sends once more. Failures are those
 * of {@link QueueOperations}, as errors of the {@code Mono}.
 * <p>
 * Inside a reactive Spring transaction the message is sent after the commit, unless
 * {@link OutboundMessage#inTransaction(boolean)} or
 * {@code redelay.queue.send.after-commit} says otherwise: the {@code Mono} emits an
 * estimate at once, as {@link QueueOperations#send} returns one. A failure after the
 * commit is logged, and is an error of the transaction's {@code Mono}, or suppressed in a
 * Spring exception.
 * <p>
 * Cancelling a {@code Mono} does not stop a send that is on its way. Emits on a thread
 * that may be blocked. Safe for use by many threads.
 *
 * @since 0.1.0
 */
public interface ReactiveQueueOperations {

	/**
	 * Sends a message that is due at once.
	 * @param queue the queue
	 * @param payload the payload
	 * @return emits what became of it
	 */
	default Mono<SendResult> send(String queue, Object payload) {
		return send(OutboundMessage.to(queue, payload));
	}

	/**
	 * Sends a message that is due after a delay.
	 * @param queue the queue
	 * @param payload the payload
	 * @param delay how long from its arrival at Redis; 0 to 3650 days, rounded up to
	 * milliseconds
	 * @return emits what became of it
	 */
	default Mono<SendResult> send(String queue, Object payload, Duration delay) {
		return send(OutboundMessage.to(queue, payload).delay(delay));
	}

	/**
	 * Sends a message that is due at a point in time by the clock of Redis.
	 * @param queue the queue
	 * @param payload the payload
	 * @param due when it is due, before 2469; at once if that has passed
	 * @return emits what became of it
	 */
	default Mono<SendResult> sendAt(String queue, Object payload, Instant due) {
		return send(OutboundMessage.to(queue, payload).dueAt(due));
	}

	/**
	 * Sends a message to the queue that {@code redelay.queue.send.default-queue} names.
	 * @param payload the payload
	 * @return emits what became of it
	 */
	Mono<SendResult> send(Object payload);

	/**
	 * Sends a message.
	 * @param message the message
	 * @return emits what became of it
	 */
	Mono<SendResult> send(OutboundMessage message);

	/**
	 * Publishes a message that is due at once to a topic.
	 * @param topic the topic
	 * @param payload the payload
	 * @return emits what became of it
	 */
	default Mono<PublishResult> publish(String topic, Object payload) {
		return publish(OutboundMessage.to(topic, payload));
	}

	/**
	 * Publishes a message to a topic.
	 * @param message the message, whose queue is the name of the topic
	 * @return emits what became of it in each group
	 * @see QueueOperations#publish(OutboundMessage)
	 */
	Mono<PublishResult> publish(OutboundMessage message);

	/**
	 * Sends a message and waits for what its handler returns.
	 * @param message the message
	 * @param type the type of the result, to which its JSON is converted
	 * @param <T> the type of the result
	 * @return emits the result; empty if the handler returns nothing
	 * @see QueueOperations#sendForResult(OutboundMessage, Class)
	 */
	<T> Mono<T> sendForResult(OutboundMessage message, Class<T> type);

}
