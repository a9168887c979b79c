package io.redelay.queue.admin;

import io.redelay.queue.DeathReason;
import org.jspecify.annotations.Nullable;

/**
 * How many messages died of a cause.
 *
 * @param reason why they are dead
 * @param exception the type of the failure, if there was one
 * @param message what the last of them died of, in words
 * @param count how many
 * @since 0.1.0
 */
public record DeathToll(@Nullable DeathReason reason, @Nullable String exception, @Nullable String message,
		long count) {

}
