package io.redelay.autoconfigure;

import java.time.Duration;

import io.redelay.lock.LockSettings;

import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.util.Assert;

/**
 * Configuration properties of the locks.
 *
 * @param enabled Whether to set up locks. Without them, methods with @MyLock run
 * unlocked, which is said once at WARN.
 * @param keyPrefix What all keys of locks in Redis begin with. Applications that share
 * locks share it.
 * @param releaseTimeout How long a method waits at its end for the answer to the release
 * of its lock.
 * @param giveBackDelay When a message is delivered again whose handler could not have a
 * lock.
 * @since 0.1.0
 */
@ConfigurationProperties("redelay.lock")
public record RedelayLockProperties(@DefaultValue("true") boolean enabled, @DefaultValue("redelay") String keyPrefix,
		@DefaultValue("5s") Duration releaseTimeout, @DefaultValue("1s") Duration giveBackDelay) {

	/**
	 * Checks the values.
	 */
	public RedelayLockProperties {
		Assert.isTrue(keyPrefix.matches("[A-Za-z0-9][A-Za-z0-9._:-]*"),
				() -> "'redelay.lock.key-prefix' must be of letters, digits, '.', '_', ':' and '-': '" + keyPrefix
						+ "'");
		Assert.isTrue(releaseTimeout.compareTo(Duration.ofMillis(1)) >= 0,
				() -> "'redelay.lock.release-timeout' must be at least 1ms: " + releaseTimeout);
		Assert.isTrue(!giveBackDelay.isNegative(),
				() -> "'redelay.lock.give-back-delay' must not be negative: " + giveBackDelay);
	}

	LockSettings toSettings() {
		return new LockSettings(this.keyPrefix, this.releaseTimeout, this.giveBackDelay);
	}

}
