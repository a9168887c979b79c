package io.redelay.queue.admin;

import java.time.Instant;

import org.jspecify.annotations.Nullable;

/**
 * A key to deduplicate by that a message has, at one moment: see
 * {@link io.redelay.queue.Deduplication}.
 *
 * @param queue the queue
 * @param key the key
 * @param way how the next message with the key is treated
 * @param messageId the id of the message that has it, or its uid if it has no id; with
 * {@code FIRST_WINS} the message may have been handled already
 * @param until when the key ends, by the clock of Redis, or {@code null} if it does so
 * with its message
 * @param payloads how many payloads have gathered; 0 unless the way is {@code AGGREGATE}
 * @since 0.1.0
 */
public record DeduplicationKey(String queue, String key, Way way, String messageId, @Nullable Instant until,
		int payloads) {

	/**
	 * How the next message with a key is treated.
	 */
	public enum Way {

		/**
		 * It is not added.
		 */
		FIRST_WINS,

		/**
		 * It replaces the one that waits.
		 */
		DEBOUNCE,

		/**
		 * Its payload is added to the one that waits.
		 */
		AGGREGATE

	}

}
