package io.redelay.queue.store;

import java.time.Instant;
import java.util.Map;

/**
 * What became of a request to add messages.
 *
 * @param status whether the request was carried out
 * @param time the store's clock when it was
 * @param duplicates those that were not added because a living message has their id, by
 * position in the request
 * @since 0.1.0
 */
public record SendReply(LaneStatus status, Instant time, Map<Integer, Duplicate> duplicates) {

	/**
	 * The living message that has the id.
	 *
	 * @param uid its uid
	 * @param dueAt when it is due, or the time of the request if it is due already
	 */
	public record Duplicate(String uid, Instant dueAt) {

	}

}
