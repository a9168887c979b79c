package io.redelay.queue.admin;

import java.time.Instant;

import org.jspecify.annotations.Nullable;

/**
 * That a message has a key to deduplicate by, at one moment: see
 * {@link io.redelay.queue.Deduplication}.
 *
 * @param queue the queue
 * @param key the key
 * @param way what becomes of the next message with the key
 * @param messageId the id of the message that has it, or its uid if it has none; the
 * first wins with its key after it was handled, too
 * @param until when the key ends, by the clock of Redis, or {@code null} if it does so
 * with its message
 * @param payloads how many payloads have gathered; 0 if they do not
 * @since 0.1.0
 */
public record DeduplicationKey(String queue, String key, Way way, String messageId, @Nullable Instant until,
		int payloads) {

	/**
	 * What becomes of the next message with a key.
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
