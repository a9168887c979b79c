package io.redelay.queue.recurring.engine;

import java.time.Duration;
import java.util.Map;

import io.redelay.queue.OutboundMessage;
import org.jspecify.annotations.Nullable;

/**
 * The attributes of an annotation, or properties, for each message of a recurring
 * message; {@code null} if not set.
 *
 * @param priority the priority
 * @param headers the headers
 * @param orderingKey the ordering key
 * @param fairnessKey the fairness key
 * @param handling bounds of its handling
 * @since 0.1.0
 */
public record MessageAttributes(@Nullable Integer priority, Map<String, String> headers, @Nullable String orderingKey,
		@Nullable String fairnessKey, Handling handling) {

	/**
	 * Adds them to a message.
	 * @param given the message
	 * @return the message with them
	 * @throws IllegalArgumentException if no message can have one of them
	 */
	public OutboundMessage addTo(OutboundMessage given) {
		OutboundMessage message = this.headers.isEmpty() ? given : given.headers(Map.copyOf(this.headers));
		message = (this.priority != null) ? message.priority(this.priority) : message;
		message = (this.orderingKey != null) ? message.orderingKey(this.orderingKey) : message;
		message = (this.fairnessKey != null) ? message.fairnessKey(this.fairnessKey) : message;
		return this.handling.addTo(message);
	}

	/**
	 * Bounds of the handling of each message; {@code null} if not set.
	 *
	 * @param maxAttempts how often it is delivered at most
	 * @param timeToLive within which time after its tick its handling has to begin
	 * @param deadline within which time after its tick it is handled
	 * @param maxHandlingTime how long its handling may take
	 * @param deadLetterQueue the queue that it is forwarded to when it dies
	 */
	public record Handling(@Nullable Integer maxAttempts, @Nullable Duration timeToLive, @Nullable Duration deadline,
			@Nullable Duration maxHandlingTime, @Nullable String deadLetterQueue) {

		private OutboundMessage addTo(OutboundMessage given) {
			OutboundMessage message = (this.maxAttempts != null) ? given.maxAttempts(this.maxAttempts) : given;
			message = (this.timeToLive != null) ? message.timeToLive(this.timeToLive) : message;
			message = (this.deadline != null) ? message.deadline(this.deadline) : message;
			message = (this.maxHandlingTime != null) ? message.maxHandlingTime(this.maxHandlingTime) : message;
			return (this.deadLetterQueue != null) ? message.deadLetterQueue(this.deadLetterQueue) : message;
		}

	}

}
