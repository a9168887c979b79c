package io.redelay.queue;

import java.time.Duration;

import org.jspecify.annotations.Nullable;

import org.springframework.util.Assert;

/**
 * How often and how late an {@link OutboundMessage} is delivered at most.
 *
 * @param maxAttempts how often it is delivered at most, or {@code null} to use the
 * listener's number
 * @param timeToLive how long after its due time its handling may begin, or {@code null}
 * for no limit
 * @param expiryAction what becomes of it after its time to live
 * @param deadline until when it is handled, over all attempts, or {@code null} for no
 * limit
 * @since 0.1.0
 */
public record DeliveryLimits(@Nullable Integer maxAttempts, @Nullable Duration timeToLive, ExpiryAction expiryAction,
		@Nullable MessageDeadline deadline) {

	static final DeliveryLimits NONE = new DeliveryLimits(null, null, ExpiryAction.BURY, null);

	private static final Duration LONGEST = Duration.ofDays(3650);

	/**
	 * Validates the values.
	 */
	public DeliveryLimits {
		if (maxAttempts != null && maxAttempts < 1) {
			throw new IllegalArgumentException("'maxAttempts' must be at least 1: " + maxAttempts);
		}
		if (timeToLive != null
				&& (timeToLive.compareTo(Duration.ofMillis(1)) < 0 || timeToLive.compareTo(LONGEST) > 0)) {
			throw new IllegalArgumentException("'timeToLive' must be 1 ms to 3650 days: " + timeToLive);
		}
		Assert.notNull(expiryAction, "'expiryAction' must not be null");
	}

	DeliveryLimits maxAttempts(int maxAttempts) {
		return new DeliveryLimits(maxAttempts, this.timeToLive, this.expiryAction, this.deadline);
	}

	DeliveryLimits timeToLive(Duration timeToLive, ExpiryAction expiryAction) {
		return new DeliveryLimits(this.maxAttempts, timeToLive, expiryAction, this.deadline);
	}

	DeliveryLimits deadline(MessageDeadline deadline) {
		return new DeliveryLimits(this.maxAttempts, this.timeToLive, this.expiryAction, deadline);
	}

}
