package io.redelay.queue.bundle;

import io.redelay.queue.DeathReason;
import org.jspecify.annotations.Nullable;

/**
 * Which message of a bundle died, and of what.
 *
 * @param queue its queue
 * @param id its id; the uid if its sender gave it none
 * @param reason why it died, if that is known
 * @param exception the type of the failure, if there was one
 * @param message the text of the failure, at most 200 characters
 * @since 0.1.0
 */
public record BundleDeath(String queue, String id, @Nullable DeathReason reason, @Nullable String exception,
		@Nullable String message) {

}
