package io.redelay.queue.store;

/**
 * The reply to the renewal of a lane.
 *
 * @param alive whether the lane is alive and its answered requests are remembered;
 * otherwise nothing was done
 * @param someCancelled whether messages that some lane of the queue holds were cancelled
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
