package io.redelay.lock;

import java.time.Duration;
import java.util.List;

import org.jspecify.annotations.Nullable;

/**
 * A lock was not taken because the thread was interrupted, or because the application
 * closed while it waited. The interrupt flag of an interrupted thread is set again. No
 * strategy leaves a method out for either.
 *
 * @since 0.1.0
 */
public class LockInterruptedException extends LockNotAcquiredException {

	public LockInterruptedException(List<String> names, Duration giveBackDelay, @Nullable InterruptedException cause) {
		super("Interrupted before the lock " + names + " was acquired; the body was not run", names, giveBackDelay,
				(cause != null) ? cause : new InterruptedException("The interrupt flag was set"));
	}

	private LockInterruptedException(String message, List<String> names, Duration giveBackDelay) {
		super(message, names, giveBackDelay, null);
	}

	static LockInterruptedException closed(List<String> names, Duration giveBackDelay) {
		return new LockInterruptedException(
				"The application closed before the lock " + names + " was acquired; the body was not run", names,
				giveBackDelay);
	}

}
