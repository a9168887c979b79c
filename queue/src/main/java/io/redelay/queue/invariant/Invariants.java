package io.redelay.queue.invariant;

import io.redelay.log.PlainLog;
import org.apache.commons.logging.Log;

/**
 * Reports violations of invariants: each as one {@code ERROR} with the state, and to a
 * listener that counts them. Nothing is thrown: the code that finds a violation goes on,
 * because an exception in a claim loop would strand the messages that it holds.
 * <p>
 * Safe for use by many threads.
 *
 * @since 0.1.0
 */
public final class Invariants {

	/**
	 * Reports to the log only.
	 */
	public static final Invariants LOGGED = new Invariants((queue, invariant) -> {
	});

	private static final Log logger = PlainLog.of(Invariants.class);

	private final InvariantListener listener;

	/**
	 * Reports to the log and to a listener.
	 * @param listener called for each violation; what it throws is ignored
	 */
	public Invariants(InvariantListener listener) {
		this.listener = listener;
	}

	/**
	 * Reports a violation.
	 * @param queue the queue whose listener found it
	 * @param invariant what was not true
	 * @param state what was found instead
	 */
	public void violated(String queue, Invariant invariant, String state) {
		logger.error("The invariant '" + invariant.label() + "' is violated for the queue '" + queue + "': " + state
				+ ". This is a defect of Redelay: please report it with the log before this line. The listener"
				+ " goes on");
		try {
			this.listener.violated(queue, invariant);
		}
		catch (Throwable ex) {
			// An Error too: the caller is about to go on with its state.
			logger.debug("The violation of an invariant was not counted", ex);
		}
	}

}
