package io.redelay.queue.listener;

import java.time.Duration;
import java.time.Instant;
import java.util.Optional;

import io.redelay.queue.QueueWaitException;

/**
 * Closes the gate of a queue or of a fairness key for some time: no listener of any
 * instance claims from it then, and it opens by itself. Kept in Redis, whose clock
 * decides. There is a bean of this type; a handler throws a {@link QueueWaitException}
 * instead.
 * <p>
 * Messages that listeners hold already are still handled. Each method waits for the
 * answer of Redis, and fails as those of {@code QueueAdmin} do. Safe for use by many
 * threads.
 *
 * @since 0.1.0
 */
public interface QueueGates {

	/**
	 * Lets a queue wait. Replaces how long it waits already.
	 * @param queue the queue
	 * @param duration for how long; more than 0, at most 3650 days
	 */
	void close(String queue, Duration duration);

	/**
	 * Lets the messages of a fairness key wait. Replaces how long they wait already.
	 * @param queue the queue
	 * @param fairnessKey the key
	 * @param duration for how long; more than 0, at most 3650 days
	 */
	void close(String queue, String fairnessKey, Duration duration);

	/**
	 * Ends the wait of a queue. Its keys whose own gates are closed wait on.
	 * @param queue the queue
	 */
	void open(String queue);

	/**
	 * Ends the wait of a fairness key.
	 * @param queue the queue
	 * @param fairnessKey the key
	 */
	void open(String queue, String fairnessKey);

	/**
	 * Returns until when a queue waits.
	 * @param queue the queue
	 * @return the time by the clock of Redis, if its gate is closed
	 */
	Optional<Instant> closedUntil(String queue);

}
