package io.redelay.queue.handle;

/**
 * How many handlers of a container may run, and how many messages may wait for one. This
 * is what calls handlers needs to know of the loops that claim.
 * <p>
 * Safe for use by many threads.
 */
public interface HandlerPermits {

	/**
	 * Returns how many handlers may run now.
	 */
	int count();

	/**
	 * Returns how long handlers take.
	 */
	HandlingTimeEstimate pace();

	/**
	 * Returns how many messages have to wait for a handler so that a busy queue can claim
	 * no more of them.
	 * @param running how many handlers run
	 */
	int mostWaiting(int running);

	/**
	 * Returns whether a queue before this one, in a strict order, may bring messages at
	 * once: a claim of it is on its way or about to be.
	 */
	boolean isAhead(String queue);

	/**
	 * Bounds how many messages are claimed by how many are wanted.
	 */
	void demand(int messages);

}
