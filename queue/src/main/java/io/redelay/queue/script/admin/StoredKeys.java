package io.redelay.queue.script.admin;

import java.time.Instant;
import java.util.List;

import org.jspecify.annotations.Nullable;

/**
 * The keys whose messages wait in a queue, and the claims that its limits allow.
 *
 * @param time the time of the look, by the clock of Redis
 * @param complete whether all keys were looked at
 * @param held how many messages are held
 * @param allowed how many messages may be claimed now by each rate that was asked about
 * @param ordering at most 100 ordering keys, the one with the most waiting messages first
 * @param fairness at most 100 fairness keys, the one with the most waiting messages first
 * @since 0.1.0
 */
public record StoredKeys(Instant time, boolean complete, long held, List<Long> allowed, List<Ordering> ordering,
		List<Fairness> fairness) {

	/**
	 * An ordering key.
	 *
	 * @param key the key
	 * @param waiting how many messages wait for their turn
	 * @param uid the message that has the turn
	 * @param lane the lane that holds that message, if one does
	 */
	public record Ordering(String key, long waiting, @Nullable String uid, @Nullable String lane) {

	}

	/**
	 * A fairness key.
	 *
	 * @param key the key
	 * @param waiting how many messages are ready
	 * @param held how many are held
	 * @param gatedUntil until when its gate is closed
	 * @param blocked whether it may not be claimed now
	 */
	public record Fairness(String key, long waiting, long held, @Nullable Instant gatedUntil, boolean blocked) {

	}

}
