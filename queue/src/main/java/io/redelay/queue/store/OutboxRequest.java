package io.redelay.queue.store;

import java.time.Duration;
import java.util.List;

import org.jspecify.annotations.Nullable;

import org.springframework.util.Assert;

/**
 * A request to remove notes from an outbox and to read the next ones.
 *
 * @param instance the instance that relays
 * @param number counts the requests of an instance for an outbox
 * @param lease for how long no other instance relays notes of this outbox
 * @param after the note behind which to read; {@code null} for the first one
 * @param until the note up to which to read; {@code null} for the last one
 * @param maxBytes how large the notes are together, which the last one may exceed
 * @param relayed ids of notes that are removed, at most {@value #MAX_RELAYED}
 * @since 0.1.0
 */
public record OutboxRequest(String instance, long number, Duration lease, @Nullable String after,
		@Nullable String until, int maxBytes, List<String> relayed) {

	/**
	 * How many notes one request can remove.
	 */
	public static final int MAX_RELAYED = 1000;

	/**
	 * Checks the values.
	 */
	public OutboxRequest {
		Assert.isTrue(relayed.size() <= MAX_RELAYED,
				() -> "'relayed' must be at most " + MAX_RELAYED + ": " + relayed.size());
	}

}
