package io.redelay.queue.admin;

import java.time.Duration;
import java.time.Instant;
import java.util.List;

import org.jspecify.annotations.Nullable;

/**
 * An instance that consumes from a queue.
 *
 * @param instance its name in the store, new with each start
 * @param name its display name, of host and process, if it announced it lately
 * @param startedAt when it started, if it announced it lately
 * @param listeners the ids of its listeners to the queue, if it announced them lately
 * @param inFlight how many messages of the queue it has in hand
 * @param lease the remaining time of its lease; negative if it has run out
 * @since 0.1.0
 */
public record ConsumerInfo(String instance, @Nullable String name, @Nullable Instant startedAt, List<String> listeners,
		long inFlight, Duration lease) {

	/**
	 * Returns whether its lease has not run out.
	 * @return {@code true} if it is taken to be alive
	 */
	public boolean isAlive() {
		return !this.lease.isNegative();
	}

}
