package io.redelay.queue.listener;

import java.util.concurrent.CompletableFuture;

/**
 * Writes what handlers keep beside their messages, as a delivery sees it.
 * <p>
 * Safe for use by many threads. No method blocks.
 */
interface WorkKeeper {

	/**
	 * Returns how much is kept.
	 */
	WorkSettings settings();

	/**
	 * Takes note that there is something to be written, which is done later.
	 */
	void changed(WorkRecord work);

	/**
	 * Writes at once what is to be written of a delivery.
	 * @return completes when that is known; fails if Redis did not answer, so that it is
	 * not known, and is tried again later
	 */
	CompletableFuture<Outcome> flush(WorkRecord work);

	/**
	 * Writes what is to be written of a delivery before it is settled, however often it
	 * takes.
	 * @return completes, and does not fail, when the message can be settled
	 */
	CompletableFuture<?> flushToSettle(WorkRecord work);

	/**
	 * Tells that a handler wanted something to be kept of a message that is settled or
	 * lost.
	 */
	void tooLate(WorkRecord work);

	/**
	 * What became of something that was to be written.
	 */
	enum Outcome {

		/**
		 * Redis has it.
		 */
		WRITTEN,

		/**
		 * Redis is full. It is tried again later.
		 */
		FULL,

		/**
		 * This instance does not hold the message any more. Nothing of it is written.
		 */
		LOST

	}

}
