package io.redelay.queue.recurring;

import java.time.Instant;

/**
 * Something about a recurring message that is not as planned. Published as an event of
 * the application, on a thread of its own, in the instance that noticed it.
 *
 * @param queue the queue
 * @param name the name of the recurring message
 * @param kind what happened
 * @param tick the first tick that it happened to
 * @param count how many ticks it happened to
 * @since 0.1.0
 */
public record RecurringEvent(String queue, String name, Kind kind, Instant tick, int count) {

	/**
	 * What can happen.
	 */
	public enum Kind {

		/**
		 * A tick runs, but it was claimed late.
		 */
		LATE,

		/**
		 * A tick is overdue and not claimed: there is no consumer, all are busy, or its
		 * message was removed. Published by the instances that declare the recurring
		 * message.
		 */
		MISSING,

		/**
		 * The message of the next tick was removed, as by a purge, and is put back; if it
		 * was due, the message of the tick after it. Published by the instance that
		 * noticed it, mostly the one that removed the message.
		 */
		PUT_BACK,

		/**
		 * Ticks that were missed are left out.
		 */
		MISSED,

		/**
		 * Ticks are left out because an earlier run has not ended, or had not then.
		 */
		OVERLAP_SKIPPED,

		/**
		 * A tick runs later because an earlier run had not ended.
		 */
		OVERLAP_QUEUED,

		/**
		 * A tick runs although an earlier run has not ended.
		 */
		OVERLAP_SIDE_BY_SIDE,

		/**
		 * The recurring message has ended, because no living instance declares it.
		 */
		DROPPED,

		/**
		 * The recurring message has ended: its last run has begun, or it has no tick any
		 * more. It is listed as ended until it is removed or declared differently.
		 */
		ENDED,

		/**
		 * The recurring message was removed with its queue. Published in the instance
		 * that deleted the queue. Instances that declare it declare it again, which
		 * creates the queue again.
		 */
		DELETED,

		/**
		 * An instance declares the recurring message differently, and its declaration
		 * holds from now on.
		 */
		REPLACED

	}

}
