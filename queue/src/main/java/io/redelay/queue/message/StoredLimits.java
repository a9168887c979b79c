package io.redelay.queue.message;

import java.time.Instant;

import org.jspecify.annotations.Nullable;

/**
 * The limits of a queue that are set for all instances.
 *
 * @param claims how many messages claims may take; a limit that is {@code null} is left
 * to listeners
 * @param lineLength how long the line of an ordering key may be; {@code null} if that is
 * left to senders
 * @param changedAt when they were changed last, or {@code null} if none is set
 * @param changedBy the display name of the instance that set them
 * @since 0.1.0
 */
public record StoredLimits(ClaimLimits claims, @Nullable Integer lineLength, @Nullable Instant changedAt,
		@Nullable String changedBy) {

	/**
	 * None is set.
	 */
	public static final StoredLimits NONE = new StoredLimits(ClaimLimits.NONE, null, null, null);

}
