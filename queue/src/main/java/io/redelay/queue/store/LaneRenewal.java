package io.redelay.queue.store;

/**
 * What the store said of a lane that was to be renewed.
 *
 * @param alive whether the lane is alive, and what was answered is remembered; otherwise
 * nothing was done
 * @param someCancelled whether messages of the queue were cancelled that some lane holds
 * @since 0.1.0
 */
public record LaneRenewal(boolean alive, boolean someCancelled) {

	/**
	 * The lane is renewed, and no message that is held was cancelled.
	 */
	public static final LaneRenewal RENEWED = new LaneRenewal(true, false);

	/**
	 * The lane is dead, or the store has forgotten its last requests.
	 */
	public static final LaneRenewal LOST = new LaneRenewal(false, false);

}
