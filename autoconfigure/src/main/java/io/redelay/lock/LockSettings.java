package io.redelay.lock;

import java.time.Duration;

/**
 * What holds for all locks.
 *
 * @param keyPrefix what all keys begin with
 * @param releaseTimeout how long to wait for the answer to a release
 * @param giveBackDelay when a message whose handler could not have a lock is delivered
 * again
 * @since 0.1.0
 */
public record LockSettings(String keyPrefix, Duration releaseTimeout, Duration giveBackDelay) {

	/**
	 * What holds unless something else is said.
	 * @return the settings
	 */
	public static LockSettings defaults() {
		return new LockSettings("redelay", Duration.ofSeconds(5), Duration.ofSeconds(1));
	}

}
