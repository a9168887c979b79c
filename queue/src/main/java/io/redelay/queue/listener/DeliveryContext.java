package io.redelay.queue.listener;

import io.redelay.queue.listener.deadletter.DeadLetterCourier;
import io.redelay.queue.listener.failure.FailurePolicy;
import io.redelay.queue.store.ClaimedMessage;
import io.redelay.queue.store.EnvelopeCodec;
import io.redelay.scheduling.Scheduler;
import org.jspecify.annotations.Nullable;

/**
 * What all deliveries of one partition of a queue to one listener have in common.
 *
 * @param queue the name of the queue
 * @param partition the name that the store has for the partition
 * @param listener the id of the listener
 * @param codec reads envelopes
 * @param policy decides about messages that were not handled
 * @param deadLetters hands on messages with dead-letter queues of their own, or
 * {@code null} if none does
 * @param clock measures how long a message has been held
 * @param completions add what goes to Redis together with the end of a message
 * @param stops decides when messages come again whose handlers stopped before their end
 */
record DeliveryContext(String queue, String partition, String listener, EnvelopeCodec codec, FailurePolicy policy,
		@Nullable DeadLetterCourier deadLetters, Scheduler clock, Completions completions, EarlyStops stops) {

	/**
	 * A context of messages of which nothing is kept.
	 */
	DeliveryContext(String queue, String partition, String listener, EnvelopeCodec codec, FailurePolicy policy,
			@Nullable DeadLetterCourier deadLetters, Scheduler clock) {
		this(queue, partition, listener, codec, policy, deadLetters, clock, Completions.NONE, new EarlyStops(listener));
	}

	/**
	 * Whether a suspect is handled alone: it was one at a death before, or one more death
	 * makes it dead.
	 */
	boolean isAccused(ClaimedMessage suspect) {
		int crashes = suspect.crashes();
		int max = this.policy.maxAttempts(maxAttemptsOfSender(suspect));
		return crashes < max && (crashes > 0 || crashes + 1 >= max);
	}

	/**
	 * Reads the message's own maximum of attempts ahead of its handling.
	 * @return the number, or {@code null} if it has none, or cannot be read
	 */
	private @Nullable Integer maxAttemptsOfSender(ClaimedMessage message) {
		try {
			return this.codec.read(message.envelope()).maxAttempts();
		}
		catch (Throwable ex) {
			return null;
		}
	}

}
