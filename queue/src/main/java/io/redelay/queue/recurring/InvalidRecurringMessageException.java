package io.redelay.queue.recurring;

import org.jspecify.annotations.Nullable;

/**
 * A recurring message cannot work as it is declared. The message says where it is
 * declared, the problem, and how to fix it.
 *
 * @since 0.1.0
 */
public class InvalidRecurringMessageException extends IllegalArgumentException {

	private final String place;

	private final String problem;

	private final String mend;

	/**
	 * Creates an exception.
	 * @param place where it is declared
	 * @param problem what is wrong
	 * @param mend how to mend it
	 * @param cause the cause, if there is one
	 */
	public InvalidRecurringMessageException(String place, String problem, String mend, @Nullable Throwable cause) {
		super(place + ": " + problem + ". " + mend, cause);
		this.place = place;
		this.problem = problem;
		this.mend = mend;
	}

	/**
	 * Returns where the recurring message is declared.
	 * @return the place
	 */
	public String getPlace() {
		return this.place;
	}

	/**
	 * Returns what is wrong.
	 * @return the problem
	 */
	public String getProblem() {
		return this.problem;
	}

	/**
	 * Returns how to fix it.
	 * @return the mend
	 */
	public String getMend() {
		return this.mend;
	}

}
