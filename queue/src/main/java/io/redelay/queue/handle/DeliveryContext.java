package io.redelay.queue.handle;

import io.redelay.queue.deadletter.DeadLetterCourier;
import io.redelay.queue.failure.FailurePolicy;
import io.redelay.queue.message.EnvelopeCodec;
import io.redelay.queue.script.ClaimReply;
import io.redelay.scheduling.Scheduler;
import org.jspecify.annotations.Nullable;

/**
 * The parts that all deliveries from one partition of a queue to one listener share.
 *
 * @param queue the name of the queue
 * @param partition the name that the store has for the partition
 * @param listener the id of the listener
 * @param codec reads envelopes
 * @param failures what becomes of messages that were not handled
 * @param clock measures how long a message has been held
 * @param completions adds the sections that go to Redis with the end of a message
 */
public record DeliveryContext(String queue, String partition, String listener, EnvelopeCodec codec, Failures failures,
		Scheduler clock, Completions completions) {

	/**
	 * Returns whether a suspect is handled alone: a lane died before while it held it as
	 * a suspect, or one more death makes it dead.
	 */
	boolean isAccused(ClaimReply.Message suspect) {
		int crashes = suspect.crashes();
		int max = this.failures.policy().maxAttempts(maxAttemptsOfSender(suspect));
		return crashes < max && (crashes > 0 || crashes + 1 >= max);
	}

	/**
	 * Reads the message's own maximum of attempts ahead of its handling.
	 * @return the number, or {@code null} if it has none, or is unreadable
	 */
	private @Nullable Integer maxAttemptsOfSender(ClaimReply.Message message) {
		try {
			return this.codec.read(message.envelope()).maxAttempts();
		}
		catch (Throwable ex) {
			return null;
		}
	}

	/**
	 * What becomes of messages that were not handled.
	 *
	 * @param policy decides about them
	 * @param deadLetters forwards messages with dead-letter queues of their own, or
	 * {@code null} for no forwarding
	 * @param stops decides when messages whose handlers stopped early come again
	 */
	public record Failures(FailurePolicy policy, @Nullable DeadLetterCourier deadLetters, EarlyStops stops) {

	}

}
