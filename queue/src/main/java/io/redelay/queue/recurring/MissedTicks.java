package io.redelay.queue.recurring;

/**
 * What becomes of ticks of a recurring message that were missed because no consumer was
 * there. A tick is missed if it was claimed later than
 * {@linkplain RecurringDeclaration#lateAfter(java.time.Duration) some time} after it was
 * due, or if the next one was due by then.
 *
 * @since 0.1.0
 */
public enum MissedTicks {

	/**
	 * Missed ticks are left out.
	 */
	SKIP,

	/**
	 * One run makes up for all that was missed, with the time of the first of them; of
	 * more than 5,000 ticks of a cron expression, with the time of one of the last 5,000.
	 */
	ONCE,

	/**
	 * Each missed tick runs, the oldest first, up to a number of them; of more, the
	 * newest.
	 */
	ALL

}
