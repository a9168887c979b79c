package io.redelay.queue.recurring;

/**
 * What becomes of a tick of a recurring message while the run of an earlier one has not
 * ended. A run ends when its message is acknowledged or dead, so one that waits to be
 * tried again has not ended.
 *
 * @since 0.1.0
 */
public enum OverlappingRuns {

	/**
	 * The tick is left out.
	 */
	SKIP,

	/**
	 * The tick waits until the runs before it have ended. Up to a number of ticks wait;
	 * of more, the newest.
	 */
	QUEUE,

	/**
	 * The tick runs at the same time as the other one.
	 */
	SIDE_BY_SIDE

}
