package io.redelay.lock;

import java.time.Duration;
import java.util.List;

import org.jspecify.annotations.Nullable;

/**
 * Something that happened to a lock. A lock that is entered again is told only once.
 *
 * @param type what happened
 * @param label the template of the name, or what else stands for locks of this kind
 * @param names the names
 * @param elapsed how long was waited, or for how long the lock was held
 * @param failure why something failed, if it did
 * @since 0.1.0
 */
public record LockEvent(Type type, String label, List<String> names, Duration elapsed, @Nullable Throwable failure) {

	/**
	 * What happened.
	 */
	public enum Type {

		/**
		 * The lock was taken.
		 */
		ACQUIRED,

		/**
		 * Another held the lock.
		 */
		BUSY,

		/**
		 * The waiting thread was interrupted, the waiting subscription cancelled, or the
		 * application closed.
		 */
		INTERRUPTED,

		/**
		 * The lock could not be asked for.
		 */
		UNAVAILABLE,

		/**
		 * The lock was released.
		 */
		RELEASED,

		/**
		 * The lock had been lost before it was released.
		 */
		LOST,

		/**
		 * It is not known whether the lock was released.
		 */
		RELEASE_FAILED;

		boolean endsWait() {
			return this == ACQUIRED || this == BUSY || this == INTERRUPTED || this == UNAVAILABLE;
		}

	}

}
