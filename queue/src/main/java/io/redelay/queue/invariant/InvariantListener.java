package io.redelay.queue.invariant;

/**
 * Called for each violation of an invariant, on the thread that found it and while locks
 * are held: it must not block.
 *
 * @since 0.1.0
 */
@FunctionalInterface
public interface InvariantListener {

	/**
	 * An invariant was violated.
	 * @param queue the queue whose listener found it
	 * @param invariant what was not true
	 */
	void violated(String queue, Invariant invariant);

}
