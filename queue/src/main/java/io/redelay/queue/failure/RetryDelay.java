package io.redelay.queue.failure;

import java.time.Duration;

import org.jspecify.annotations.Nullable;

/**
 * Decides how long to wait before a failed message is delivered again.
 * <p>
 * Safe for use by many threads.
 *
 * @since 0.1.0
 */
@FunctionalInterface
public interface RetryDelay {

	/**
	 * Returns the wait after a failure.
	 * @param failures how often the message has failed, from 1
	 * @return how long to wait, or {@code null} if it shall not be delivered again
	 */
	@Nullable Duration after(int failures);

}
