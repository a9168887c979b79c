package io.redelay.queue;

import java.time.Instant;
import java.util.List;

/**
 * What became of the messages of a bundle: the payload of its callback. The counts make
 * up the total. A dead message has ended: redriven, it is a message of its own.
 *
 * @param queue the queue of the callback
 * @param id the id of the bundle
 * @param openedAtMillis when it was opened, by the clock of Redis, in milliseconds since
 * 1970
 * @param endedAtMillis when its last message ended
 * @param timedOut whether it was closed because it had been open for too long
 * @param total how many messages were added
 * @param acknowledged how many were handled
 * @param dead how many went to the dead messages, among them those that expired and are
 * kept there
 * @param cancelled how many were cancelled
 * @param purged how many were removed by a purge
 * @param expired how many were dropped because their time to live was over
 * @param dropped how many were dropped because their queue was full
 * @param replaced how many another message replaced, with the same key to deduplicate by
 * @param duplicate how many were not added to their queue, because another message had
 * their id or came first with their key
 * @param unaccounted how many nothing is known of, because their queue was deleted or
 * Redis lost data
 * @param deaths of the dead, the first 100 or as many as fit in 64 KB
 * @since 0.1.0
 */
public record BundleSummary(String queue, String id, long openedAtMillis, long endedAtMillis, boolean timedOut,
		int total, int acknowledged, int dead, int cancelled, int purged, int expired, int dropped, int replaced,
		int duplicate, int unaccounted, List<BundleDeath> deaths) {

	/**
	 * Copies the list.
	 */
	public BundleSummary {
		deaths = List.copyOf(deaths);
	}

	/**
	 * When the bundle was opened, by the clock of Redis.
	 * @return the time
	 */
	public Instant openedAt() {
		return Instant.ofEpochMilli(this.openedAtMillis);
	}

	/**
	 * When the last message of the bundle ended, by the clock of Redis.
	 * @return the time
	 */
	public Instant endedAt() {
		return Instant.ofEpochMilli(this.endedAtMillis);
	}

	/**
	 * Whether all messages were handled.
	 * @return {@code true} if none ended otherwise
	 */
	public boolean allAcknowledged() {
		return this.acknowledged == this.total;
	}

}
