package io.redelay.queue.listener;

import java.util.concurrent.CompletableFuture;

/**
 * Writes the work records of handlers, as a delivery sees it.
 * <p>
 * Safe for use by many threads. No method blocks.
 */
interface WorkKeeper {

	/**
	 * Returns the settings of how much is kept.
	 */
	WorkSettings settings();

	/**
	 * Schedules a changed work record to be written.
	 */
	void changed(WorkRecord work);

	/**
	 * Writes the changes of a work record at once.
	 * @return a future of the outcome; fails if Redis did not answer, so that the outcome
	 * is unknown, and the write is tried again later
	 */
	CompletableFuture<Outcome> flush(WorkRecord work);

	/**
	 * Writes the changes of a work record before its message is settled, and repeats this
	 * until the outcome is known.
	 * @return a future that completes, and does not fail, when the message can be settled
	 */
	CompletableFuture<?> flushToSettle(WorkRecord work);

	/**
	 * Reports that a handler changed the work record of a message that is settled or
	 * lost.
	 */
	void tooLate(WorkRecord work);

	/**
	 * The outcome of a write.
	 */
	enum Outcome {

		/**
		 * Redis has the changes.
		 */
		WRITTEN,

		/**
		 * Redis is full. The write is tried again later.
		 */
		FULL,

		/**
		 * This instance does not hold the message any more. Nothing is written.
		 */
		LOST

	}

}
