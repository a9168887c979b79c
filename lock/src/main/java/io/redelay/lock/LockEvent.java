package io.redelay.lock;

import java.time.Duration;
import java.util.List;

import org.jspecify.annotations.Nullable;

/**
 * An event of a lock. Re-entering a held lock is no event.
 *
 * @param type what happened
 * @param label the template of the name, or another label that locks of one kind share
 * @param names the names
 * @param elapsed how long the caller waited, or for how long the lock was held
 * @param failure the failure, if there was one
 * @since 0.1.0
 */
public record LockEvent(Type type, String label, List<String> names, Duration elapsed, @Nullable Throwable failure) {

	/**
	 * The kinds of events.
	 */
	public enum Type {

		/**
		 * The lock was taken.
		 */
		ACQUIRED,

		/**
		 * Another holder has the lock, and the caller stopped waiting.
		 */
		BUSY,

		/**
		 * The waiting thread was interrupted, the waiting subscription cancelled, or the
		 * application closed.
		 */
		INTERRUPTED,

		/**
		 * The lock could not be requested.
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
		 * The request to release the lock failed, so it is not known whether the lock is
		 * free.
		 */
		RELEASE_FAILED;

		boolean endsWait() {
			return this == ACQUIRED || this == BUSY || this == INTERRUPTED || this == UNAVAILABLE;
		}

	}

}
