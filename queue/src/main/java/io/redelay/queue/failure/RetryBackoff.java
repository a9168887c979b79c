package io.redelay.queue.failure;

import java.time.Duration;
import java.util.concurrent.ThreadLocalRandom;

import io.redelay.queue.limits.DueTime;

import org.springframework.util.backoff.BackOffExecution;
import org.springframework.util.backoff.ExponentialBackOff;

/**
 * How long to wait before a failed message is delivered again. Spring's
 * {@link ExponentialBackOff} computes the intervals; jitter keeps messages that failed
 * together from coming back together. Spring's own jitter is a number of milliseconds for
 * the first interval: it has no effect if that interval is a few milliseconds or as long
 * as the longest. Here it is a part of each interval.
 *
 * @param initialInterval the wait after the first failure
 * @param multiplier how much longer each further wait is; 1 makes all waits equal
 * @param maxInterval the longest wait, before jitter; at most 3650 days
 * @param jitter by which part a wait is varied at random, from 0 to 1
 * @since 0.1.0
 */
public record RetryBackoff(Duration initialInterval, double multiplier, Duration maxInterval,
		double jitter) implements RetryDelay {

	/**
	 * 1 s, doubled each time up to 5 minutes, 20 % shorter or longer.
	 */
	public static final RetryBackoff DEFAULTS = new RetryBackoff(Duration.ofSeconds(1), 2, Duration.ofMinutes(5), 0.2);

	/**
	 * Checks the values.
	 */
	public RetryBackoff {
		if (initialInterval.isNegative()) {
			throw new IllegalArgumentException("'initialInterval' must not be negative: " + initialInterval);
		}
		if (!(multiplier >= 1 && multiplier <= 1000)) {
			throw new IllegalArgumentException("'multiplier' must be 1 to 1000: " + multiplier);
		}
		if (maxInterval.compareTo(initialInterval) < 0) {
			throw new IllegalArgumentException("'maxInterval' must not be shorter than " + "'initialInterval': "
					+ maxInterval + " < " + initialInterval);
		}
		if (!DueTime.isPossible(maxInterval)) {
			throw new IllegalArgumentException("'maxInterval' must be at most 3650 days: " + maxInterval);
		}
		if (!(jitter >= 0 && jitter <= 1)) {
			throw new IllegalArgumentException("'jitter' must be 0 to 1: " + jitter);
		}
	}

	@Override
	public Duration after(int failures) {
		double factor = 1 + this.jitter * (2 * ThreadLocalRandom.current().nextDouble() - 1);
		return Duration.ofMillis((long) (interval(failures) * factor));
	}

	private long interval(int failures) {
		if (this.initialInterval.isZero()) {
			return 0;
		}
		ExponentialBackOff backOff = new ExponentialBackOff(this.initialInterval.toMillis(), this.multiplier);
		backOff.setMaxInterval(this.maxInterval.toMillis());
		BackOffExecution execution = backOff.start();
		long longest = this.maxInterval.toMillis();
		long interval = execution.nextBackOff();
		for (int i = 1; i < failures && this.multiplier > 1 && interval < longest; i++) {
			interval = execution.nextBackOff();
		}
		return interval;
	}

}
