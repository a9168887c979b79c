package io.redelay.queue.admin;

import io.redelay.queue.DeathReason;
import org.jspecify.annotations.Nullable;

/**
 * How many messages died of a cause.
 *
 * @param reason why they are dead
 * @param exception the type of the failure, if there was one
 * @param message the message of the failure of the last of them, as in
 * {@link io.redelay.queue.FailedAttempt#message()}
 * @param count how many
 * @since 0.1.0
 */
public record DeadLetterCount(@Nullable DeathReason reason, @Nullable String exception, @Nullable String message,
		long count) {

}
