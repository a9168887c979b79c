package io.redelay.lock;

import java.time.Duration;

/**
 * The settings of all locks.
 *
 * @param keyPrefix the prefix of all keys
 * @param releaseTimeout how long to wait for the answer to a release
 * @param giveBackDelay how long until a message is delivered again whose handler did not
 * get its lock
 * @since 0.1.0
 */
public record LockSettings(String keyPrefix, Duration releaseTimeout, Duration giveBackDelay) {

}
