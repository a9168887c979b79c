package io.redelay.queue.store;

/**
 * What the store says to a request.
 *
 * @since 0.1.0
 */
public enum LaneStatus {

	/**
	 * The lane is alive, and the request was carried out, now or the first time it came.
	 */
	OK,

	/**
	 * The lane is unknown: it was never opened, it has died, or Redis went back to a time
	 * before it was opened. The request did nothing.
	 */
	GONE,

	/**
	 * Requests of the lane that were answered are forgotten: Redis went back in time. The
	 * request did nothing.
	 */
	BEHIND,

	/**
	 * The queue was deleted. The request did nothing.
	 */
	DELETED,

	/**
	 * A later request of the lane was seen. The request did nothing.
	 */
	STALE,

	/**
	 * The queue has as many messages as it may. Nothing was added.
	 */
	FULL,

	/**
	 * The queue is closed for new messages. Nothing was added.
	 */
	CLOSED,

	/**
	 * A message is due when its deadline is over. Nothing was added.
	 */
	OVERDUE,

	/**
	 * The entries that were to be taken out of an inlet are not its first ones any more.
	 * Nothing was taken.
	 */
	MOVED;

	/**
	 * Whether the store does not know the lane, or not its last requests, or not the
	 * queue.
	 */
	boolean isUnknownLane() {
		return this == GONE || this == BEHIND || this == DELETED;
	}

}
