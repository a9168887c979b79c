package io.redelay.template;

import org.jspecify.annotations.Nullable;

/**
 * A template cannot be parsed, or gives no text. The message names the template's place
 * and the faulty part.
 *
 * @since 0.1.0
 */
public class TemplateException extends RuntimeException {

	private final String problem;

	private final String mend;

	/**
	 * Creates an exception.
	 * @param problem where it is and what is wrong
	 * @param cause why, if something was thrown
	 */
	public TemplateException(String problem, @Nullable Throwable cause) {
		super(problem, cause);
		this.problem = problem;
		this.mend = "Correct the template";
	}

	/**
	 * Creates an exception.
	 * @param problem where it is and what is wrong
	 * @param mend what to do
	 * @param cause why, if something was thrown
	 */
	public TemplateException(String problem, String mend, @Nullable Throwable cause) {
		super(problem + ". " + mend, cause);
		this.problem = problem;
		this.mend = mend;
	}

	/**
	 * Returns where it is and what is wrong.
	 * @return the problem
	 */
	public String getProblem() {
		return this.problem;
	}

	/**
	 * Returns what to do.
	 * @return the mend
	 */
	public String getMend() {
		return this.mend;
	}

}
