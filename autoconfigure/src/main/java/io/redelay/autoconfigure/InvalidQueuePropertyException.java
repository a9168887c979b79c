package io.redelay.autoconfigure;

import io.redelay.template.TemplateException;
import org.jspecify.annotations.Nullable;

/**
 * A property of a queue cannot work as it is set.
 */
class InvalidQueuePropertyException extends IllegalArgumentException {

	private final String problem;

	private final String mend;

	/**
	 * Creates an exception.
	 * @param problem which property it is, and what is wrong
	 * @param mend what to do
	 * @param cause what told so, if anything did
	 */
	InvalidQueuePropertyException(String problem, String mend, @Nullable Throwable cause) {
		super(problem + ". " + mend, cause);
		this.problem = problem;
		this.mend = mend;
	}

	/**
	 * Creates an exception.
	 * @param cause says which property it is, what is wrong and what to do
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
