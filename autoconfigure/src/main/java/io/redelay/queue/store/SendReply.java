package io.redelay.queue.store;

import java.time.Instant;
import java.util.List;
import java.util.Map;

/**
 * What became of a request to add messages.
 *
 * @param status whether the request was carried out
 * @param time the store's clock when it was
 * @param duplicates those that were not added because a living message has their id, by
 * position in the request
 * @param dropped the uids of those that were dropped to make room
 * @since 0.1.0
 */
public record SendReply(LaneStatus status, Instant time, Map<Integer, Duplicate> duplicates, List<String> dropped) {

	/**
	 * The living message that has the id.
	 *
	 * @param uid its uid
	 * @param dueAt when it is due, or the time of the request if it is due already
	 */
	public record Duplicate(String uid, Instant dueAt) {

	}

}
