package io.redelay.lock.annotation;

import io.redelay.lock.MyLock;
import org.jspecify.annotations.Nullable;

/**
 * A {@link MyLock @MyLock} cannot work as it is written. Says which bean, method and
 * attribute, what is wrong, and how to mend it.
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
	 * Where it is wrong.
	 * @return the bean, the method and the attribute
	 */
	public String getPlace() {
		return this.place;
	}

	/**
	 * What is wrong.
	 * @return the problem
	 */
	public String getProblem() {
		return this.problem;
	}

	/**
	 * How to mend it.
	 * @return the mend
	 */
	public String getMend() {
		return this.mend;
	}

}
