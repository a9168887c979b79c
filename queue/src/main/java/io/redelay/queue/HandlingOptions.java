package io.redelay.queue;

import java.time.Duration;
import java.util.Optional;

import io.redelay.queue.limits.KeyName;
import io.redelay.queue.limits.QueueName;
import org.jspecify.annotations.Nullable;

import org.springframework.core.annotation.AnnotatedElementUtils;

/**
 * How an {@link OutboundMessage} is handled where its sender decides that, instead of the
 * listener. Where a value is {@code null}, the listener decides.
 *
 * @param payloadType the logical name of what the payload is, by which a listener with
 * several {@link io.redelay.queue.listener.QueueHandler} methods chooses one
 * @param backoff how long it waits before it is delivered again after a failure
 * @param maxHandlingTime how long its handling may take
 * @param deadLetterQueue the queue that it is forwarded to when it dies
 * @since 0.1.0
 */
public record HandlingOptions(@Nullable String payloadType, @Nullable MessageBackoff backoff,
		@Nullable Duration maxHandlingTime, @Nullable String deadLetterQueue) {

	/**
	 * The listener decides everything.
	 */
	public static final HandlingOptions NONE = new HandlingOptions(null, null, null, null);

	private static final Duration SHORTEST = Duration.ofMillis(1);

	private static final Duration LONGEST = Duration.ofDays(3650);

	private static final ClassValue<Optional<String>> NAMES = new ClassValue<>() {

		@Override
		protected Optional<String> computeValue(Class<?> type) {
			PayloadType named = AnnotatedElementUtils.findMergedAnnotation(type, PayloadType.class);
			return Optional.ofNullable(named).map(PayloadType::value);
		}

	};

	/**
	 * Validates the values.
	 */
	public HandlingOptions {
		if (payloadType != null) {
			String problem = KeyName.problem(payloadType);
			if (problem != null) {
				throw new IllegalArgumentException("'payloadType' " + problem + ": '" + payloadType + "'");
			}
		}
		if (maxHandlingTime != null
				&& (maxHandlingTime.compareTo(SHORTEST) < 0 || maxHandlingTime.compareTo(LONGEST) > 0)) {
			throw new IllegalArgumentException("'maxHandlingTime' must be 1 ms to 3650 days: " + maxHandlingTime);
		}
		if (deadLetterQueue != null) {
			QueueName.check(deadLetterQueue);
		}
	}

	/**
	 * Returns the logical name that {@link PayloadType} gives a class of payloads, or a
	 * class or interface above it.
	 * @param payload the class
	 * @return the name, or {@code null} if there is none
	 */
	public static @Nullable String payloadTypeOf(Class<?> payload) {
		return NAMES.get(payload).orElse(null);
	}

	/**
	 * Returns these options with another payload type.
	 * @param payloadType the logical name of what the payload is
	 * @return the options
	 */
	public HandlingOptions payloadType(String payloadType) {
		return new HandlingOptions(payloadType, this.backoff, this.maxHandlingTime, this.deadLetterQueue);
	}

	HandlingOptions backoff(MessageBackoff backoff) {
		return new HandlingOptions(this.payloadType, backoff, this.maxHandlingTime, this.deadLetterQueue);
	}

	HandlingOptions maxHandlingTime(Duration maxHandlingTime) {
		return new HandlingOptions(this.payloadType, this.backoff, maxHandlingTime, this.deadLetterQueue);
	}

	HandlingOptions deadLetterQueue(String deadLetterQueue) {
		return new HandlingOptions(this.payloadType, this.backoff, this.maxHandlingTime, deadLetterQueue);
	}

}
