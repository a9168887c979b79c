package io.redelay.queue.config;

import java.time.Duration;
import java.util.Map;

import io.redelay.queue.RedriveRule;
import org.jspecify.annotations.Nullable;

/**
 * The configuration of dead messages.
 *
 * @param maxCount how many of a queue are kept
 * @param maxAge how long they are kept
 * @param maxBytes how large the kept messages are together, or {@code null} for any size
 * @param redrive when they are redriven by themselves, if they are
 * @param queues the values of single queues, by name
 * @since 0.1.0
 */
public record DeadLetterDefaults(long maxCount, Duration maxAge, @Nullable Long maxBytes, @Nullable RedriveRule redrive,
		Map<String, OfQueue> queues) {

	OfQueue queue(String name) {
		return this.queues.getOrDefault(name, OfQueue.NOTHING);
	}

	/**
	 * The configuration of one queue; {@code null} for a value that is not declared.
	 *
	 * @param maxCount how many are kept
	 * @param maxAge how long they are kept
	 * @param maxBytes how large the kept messages are together
	 * @param queue the queue that they are forwarded to
	 * @param holdKeys whether they hold their ordering keys
	 * @param redrive the declaration of when they are redriven by themselves
	 */
	public record OfQueue(@Nullable Long maxCount, @Nullable Duration maxAge, @Nullable Long maxBytes,
			@Nullable String queue, boolean holdKeys, @Nullable Redrive redrive) {

		static final OfQueue NOTHING = new OfQueue(null, null, null, null, false, null);

	}

	/**
	 * When the dead messages of one queue are redriven by themselves.
	 *
	 * @param rule the rule, or {@code null} if they are not, whatever holds for all
	 * queues
	 */
	public record Redrive(@Nullable RedriveRule rule) {

	}

}
