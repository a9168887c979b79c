package io.redelay.queue.failure;

import java.time.Duration;

import org.jspecify.annotations.Nullable;

import org.springframework.util.Assert;
import org.springframework.util.backoff.BackOff;
import org.springframework.util.backoff.BackOffExecution;

/**
 * Waits for the intervals of a {@link BackOff} of Spring. When the BackOff stops, the
 * message has no attempts left.
 *
 * @param backOff computes the intervals
 * @since 0.1.0
 */
public record BackOffDelay(BackOff backOff) implements RetryDelay {

	private static final long LONGEST = Duration.ofDays(3650).toMillis();

	@Override
	public @Nullable Duration after(int failures) {
		BackOffExecution execution = this.backOff.start();
		long interval = execution.nextBackOff();
		for (int i = 1; i < failures && interval != BackOffExecution.STOP; i++) {
			interval = execution.nextBackOff();
		}
		if (interval == BackOffExecution.STOP) {
			return null;
		}
		long wait = interval;
		Assert.state(wait >= 0, () -> "The BackOff " + this.backOff + " says to wait " + wait + " ms");
		return Duration.ofMillis(Math.min(wait, LONGEST));
	}

}
