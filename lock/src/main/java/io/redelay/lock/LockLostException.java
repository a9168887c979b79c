package io.redelay.lock;

import java.util.List;

/**
 * A lock was lost before the code that it protects had ended. The code itself ended
 * without an exception.
 *
 * @since 0.1.0
 */
public class LockLostException extends LockException {

	public LockLostException(List<String> names) {
		super("The lock " + names
				+ " was lost before the end of what it protected; another may have run at the same time");
	}

}
