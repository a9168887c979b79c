package io.redelay.queue.failure;

import java.util.List;

import io.redelay.queue.listener.ConversionFailureAction;

/**
 * Settings of whether and when a failed message of a queue is delivered again.
 *
 * @param maxAttempts how often a message is delivered at most, the first time included
 * @param backoff how long to wait after failures
 * @param noRetryFor failures after which a message is dead
 * @param onConversionFailure the action for messages that cannot be converted for the
 * handler
 * @param resetsOnProgress whether failures and crashes are forgotten when a handler has
 * saved a checkpoint
 * @since 0.1.0
 */
public record RetrySettings(int maxAttempts, RetryDelay backoff, List<Class<? extends Throwable>> noRetryFor,
		ConversionFailureAction onConversionFailure, boolean resetsOnProgress) {

	/**
	 * 5 attempts with {@link RetryBackoff#DEFAULTS} after any failure.
	 */
	public static final RetrySettings DEFAULTS = new RetrySettings(5, RetryBackoff.DEFAULTS, List.of(),
			ConversionFailureAction.BURY, false);

	/**
	 * Checks the settings.
	 */
	public RetrySettings {
		if (maxAttempts < 1) {
			throw new IllegalArgumentException("'maxAttempts' must be at least 1: " + maxAttempts);
		}
	}

}
