package io.redelay.autoconfigure;

import io.redelay.template.TemplateException;
import org.jspecify.annotations.Nullable;

/**
 * A property has an invalid value, or does not exist.
 */
class InvalidQueuePropertyException extends IllegalArgumentException {

	private final String problem;

	private final String mend;

	/**
	 * Creates an exception.
	 * @param problem which property it is, and what is wrong
	 * @param mend what to do
	 * @param cause the exception that showed the problem, if there was one
	 */
	InvalidQueuePropertyException(String problem, String mend, @Nullable Throwable cause) {
		super(problem + ". " + mend, cause);
		this.problem = problem;
		this.mend = mend;
	}

	/**
	 * Creates an exception.
	 * @param cause the exception with the property, the problem and the remedy
	 */
	InvalidQueuePropertyException(TemplateException cause) {
		this(cause.getProblem(), cause.getMend(), cause);
	}

	String getProblem() {
		return this.problem;
	}

	String getMend() {
		return this.mend;
	}

}
