package io.redelay.queue.work;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;

import io.redelay.queue.QueueException;
import io.redelay.queue.QueueListener;
import io.redelay.queue.batch.BatchAcknowledgment;

import org.springframework.core.ParameterizedTypeReference;

/**
 * Receives messages when the program asks for them, for jobs that take work when they
 * can. A received message is settled by hand, and its lease is renewed until then. It is
 * retried, buried and given back as with a {@link QueueListener}, with the properties of
 * the queue. A message that cannot be converted is handled as
 * {@link QueueListener#onConversionFailure()} says, and not received.
 * <p>
 * A queue is a queue, or the group of a topic as {@code topic@group}. Several callers may
 * receive from one queue at the same time; they are served in the order of their calls.
 * At most 1,000 messages of a queue are received and not settled in one instance: a
 * further call waits until others are settled.
 * <p>
 * Safe for use by many threads.
 *
 * @since 0.1.0
 */
public interface QueueReceiver {

	/**
	 * Receives messages with their payloads as they came. Waits until there is one.
	 * @param queue the queue
	 * @param max how many at most, 1 to 1,000; fewer if there are not so many at once
	 * @param wait how long to wait for the first; 0 to look once
	 * @return the messages, empty if there was none in time
	 * @throws QueueException if Redis did not answer, the application ends, or the thread
	 * is interrupted; its interrupt flag stays set
	 */
	List<ReceivedMessage<byte[]>> receive(String queue, int max, Duration wait);

	/**
	 * Receives messages. Waits until there is one.
	 * @param <T> the type of the payloads
	 * @param queue the queue
	 * @param payload what payloads are converted to
	 * @param max how many at most, 1 to 1,000; fewer if there are not so many at once
	 * @param wait how long to wait for the first; 0 to look once
	 * @return the messages, empty if there was none in time
	 * @throws QueueException if Redis did not answer, the application ends, or the thread
	 * is interrupted; its interrupt flag stays set
	 */
	<T> List<ReceivedMessage<T>> receive(String queue, Class<T> payload, int max, Duration wait);

	/**
	 * Receives messages with their payloads as they came, without a thread that waits.
	 * @param queue the queue
	 * @param max how many at most, 1 to 1,000; fewer if there are not so many at once
	 * @param wait how long to wait for the first; 0 to look once
	 * @return completes with the messages, empty if there was none in time, on a thread
	 * of the handlers; fails with a {@link QueueException} if Redis did not answer or the
	 * application ends. If it is cancelled, messages that were on their way are given
	 * back
	 */
	CompletableFuture<List<ReceivedMessage<byte[]>>> receiveAsync(String queue, int max, Duration wait);

	/**
	 * Receives messages without a thread that waits.
	 * @param <T> the type of the payloads
	 * @param queue the queue
	 * @param payload what payloads are converted to
	 * @param max how many at most, 1 to 1,000; fewer if there are not so many at once
	 * @param wait how long to wait for the first; 0 to look once
	 * @return as {@link #receiveAsync(String, int, Duration)}
	 */
	<T> CompletableFuture<List<ReceivedMessage<T>>> receiveAsync(String queue, Class<T> payload, int max,
			Duration wait);

	/**
	 * Receives messages of a generic type without a thread that waits.
	 * @param <T> the type of the payloads
	 * @param queue the queue
	 * @param payload what payloads are converted to
	 * @param max how many at most, 1 to 1,000; fewer if there are not so many at once
	 * @param wait how long to wait for the first; 0 to look once
	 * @return as {@link #receiveAsync(String, int, Duration)}
	 */
	<T> CompletableFuture<List<ReceivedMessage<T>>> receiveAsync(String queue, ParameterizedTypeReference<T> payload,
			int max, Duration wait);

	/**
	 * Returns what settles received messages together, with one request for each queue
	 * and partition that they are from.
	 * @param received messages that this application received, of any queues
	 * @return what settles all of them, some, or single ones, which are named by their
	 * positions in the list or by themselves
	 * @throws IllegalArgumentException if one of them was not received by a
	 * {@code QueueReceiver}
	 */
	BatchAcknowledgment together(List<? extends ReceivedMessage<?>> received);

}
