package io.redelay.lock.annotation;

import io.redelay.lock.MyLock;
import org.jspecify.annotations.Nullable;

/**
 * A {@link MyLock @MyLock} is invalid as it is declared. The message names bean, method
 * and attribute, the problem, and how to mend it.
 *
 * @since 0.1.0
 */
public class InvalidMyLockException extends IllegalStateException {

	private final String place;

	private final String problem;

	private final String mend;

	InvalidMyLockException(String place, String problem, String mend, @Nullable Throwable cause) {
		super(place + ": " + problem + ". " + mend, cause);
		this.place = place;
		this.problem = problem;
		this.mend = mend;
	}

	/**
	 * Returns where the annotation is.
	 * @return the bean, the method and the attribute
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
	 * Returns how to mend it.
	 * @return the mend
	 */
	public String getMend() {
		return this.mend;
	}

}
