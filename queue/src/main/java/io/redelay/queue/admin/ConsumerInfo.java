package io.redelay.queue.admin;

import java.time.Duration;
import java.time.Instant;
import java.util.List;

import org.jspecify.annotations.Nullable;

/**
 * An instance that consumes from a queue.
 *
 * @param instance its name in the store, new with each start
 * @param name what people call it, its host and process, if it told so lately
 * @param startedAt when it started, if it told so lately
 * @param listeners the ids of its listeners to the queue, if it told so lately
 * @param inFlight how many messages of the queue it has in hand
 * @param lease how long its lease lasts yet; negative if it has run out
 * @since 0.1.0
 */
public record ConsumerInfo(String instance, @Nullable String name, @Nullable Instant startedAt, List<String> listeners,
		long inFlight, Duration lease) {

	/**
	 * Whether its lease has not run out.
	 * @return whether it is alive, as far as is known
	 */
	public boolean isAlive() {
		return !this.lease.isNegative();
	}

}
