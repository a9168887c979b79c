package io.redelay.outbox;

import io.redelay.queue.QueueException;

/**
 * Thrown if the outbox cannot be used as requested.
 *
 * @since 0.1.0
 */
public class OutboxException extends QueueException {

	private final String problem;

	private final String mend;

	/**
	 * Creates an exception.
	 * @param problem what is wrong, without a full stop
	 * @param mend what to do about it, without a full stop
	 */
	public OutboxException(String problem, String mend) {
		super(problem + "; " + mend);
		this.problem = problem;
		this.mend = mend;
	}

	/**
	 * Returns what is wrong.
	 * @return a sentence without its full stop
	 */
	public String getProblem() {
		return this.problem;
	}

	/**
	 * Returns what to do about it.
	 * @return a sentence without its full stop
	 */
	public String getMend() {
		return this.mend;
	}

}
