package io.redelay.lock;

import java.time.Duration;
import java.util.List;

import org.jspecify.annotations.Nullable;

/**
 * A lock was not taken because the thread was interrupted. Its interrupt flag is set
 * again. No strategy leaves a method out for that.
 *
 * @since 0.1.0
 */
public class LockInterruptedException extends LockNotAcquiredException {

	public LockInterruptedException(List<String> names, Duration giveBackDelay, @Nullable InterruptedException cause) {
		super("Interrupted before the lock " + names + " was acquired; the body was not run", names, giveBackDelay,
				(cause != null) ? cause : new InterruptedException("The interrupt flag was set"));
	}

}
