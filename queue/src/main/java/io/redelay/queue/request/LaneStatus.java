package io.redelay.queue.request;

/**
 * The status of a request in the reply of the store.
 *
 * @since 0.1.0
 */
public enum LaneStatus {

	/**
	 * The lane is alive, and the request was carried out, now or when it was first sent.
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
	 * The queue is full. Nothing was added.
	 */
	FULL,

	/**
	 * The queue is closed for new messages. Nothing was added.
	 */
	CLOSED,

	/**
	 * A message is due after its deadline. Nothing was added.
	 */
	OVERDUE,

	/**
	 * The given entries are no longer the first ones of the inlet. Nothing was taken.
	 */
	MOVED;

	/**
	 * Returns whether the store does not know the lane, or not its last requests, or not
	 * the queue.
	 */
	boolean isUnknownLane() {
		return this == GONE || this == BEHIND || this == DELETED;
	}

}
