package io.redelay.queue.message;

import java.time.Duration;

import io.redelay.queue.MessageDeadline;
import org.jspecify.annotations.Nullable;

/**
 * How long a message is worth handling, according to its envelope.
 *
 * @param timeToLive how long after it was due its handling may begin, if that is limited
 * @param dropExpired whether it is forgotten when that is over, and not kept among the
 * dead messages
 * @param deadline until when it is handled, over all attempts, if that is limited
 * @since 0.1.0
 */
public record Lifetime(@Nullable Duration timeToLive, boolean dropExpired, @Nullable MessageDeadline deadline) {

	/**
	 * Without limits.
	 */
	public static final Lifetime NONE = new Lifetime(null, false, null);

	/**
	 * Returns a lifetime, of which most messages have none.
	 * @param timeToLive how long after it was due its handling may begin, or {@code null}
	 * @param dropExpired whether it is forgotten when that is over
	 * @param deadline until when it is handled, or {@code null}
	 * @return the lifetime
	 */
	public static Lifetime of(@Nullable Duration timeToLive, boolean dropExpired, @Nullable MessageDeadline deadline) {
		return (timeToLive == null && !dropExpired && deadline == null) ? NONE
				: new Lifetime(timeToLive, dropExpired, deadline);
	}

	/**
	 * Returns whether it ends at some time.
	 * @return whether there is a limit
	 */
	public boolean isLimited() {
		return this.timeToLive != null || this.deadline != null;
	}

}
