package io.redelay.lock;

import java.time.Duration;
import java.util.List;

import org.jspecify.annotations.Nullable;

/**
 * A lock was not taken because the waiting thread was interrupted, or because the
 * application closed meanwhile. The interrupt flag of an interrupted thread is set again.
 * It is thrown with every strategy: a method is not skipped for either reason.
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
