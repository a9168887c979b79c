package io.redelay.autoconfigure;

import java.time.Duration;
import java.util.List;

import io.redelay.lock.LockSettings;
import io.redelay.lock.quorum.QuorumSettings;

import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * Configuration properties of the locks.
 *
 * @param enabled Whether to set up locks. Without them, methods with @MyLock run
 * unlocked, which is logged once at WARN.
 * @param keyPrefix Prefix of all keys of locks in Redis. Applications that share locks
 * share it.
 * @param releaseTimeout How long a method waits at its end for the answer to the release
 * of its lock.
 * @param giveBackDelay How soon a message is delivered again if its handler could not get
 * a lock.
 * @param quorum Settings of the lock provider "quorum", which keeps a lock on several
 * independent servers.
 * @since 0.1.0
 */
@ConfigurationProperties("redelay.lock")
record RedelayLockProperties(@DefaultValue("true") boolean enabled, @DefaultValue("redelay") String keyPrefix,
		@DefaultValue("5s") Duration releaseTimeout, @DefaultValue("1s") Duration giveBackDelay,
		@DefaultValue Quorum quorum) {

	static final String ENABLED = "redelay.lock.enabled";

	/**
	 * Checks the values.
	 */
	public RedelayLockProperties {
		if (!keyPrefix.matches("[A-Za-z0-9][A-Za-z0-9._:-]*")) {
			throw new IllegalArgumentException(
					"'redelay.lock.key-prefix' must be of letters, digits, '.', '_', ':' and '-': '" + keyPrefix + "'");
		}
		if (releaseTimeout.compareTo(Duration.ofMillis(1)) < 0) {
			throw new IllegalArgumentException(
					"'redelay.lock.release-timeout' must be at least 1ms: " + releaseTimeout);
		}
		if (giveBackDelay.isNegative()) {
			throw new IllegalArgumentException("'redelay.lock.give-back-delay' must not be negative: " + giveBackDelay);
		}
	}

	LockSettings toSettings() {
		return new LockSettings(this.keyPrefix, this.releaseTimeout, this.giveBackDelay);
	}

	/**
	 * Properties of the quorum.
	 *
	 * @param addresses URLs of the servers, like redis://host:6379 or
	 * rediss://user:password@host:6379. Three, five or seven that are neither replicas
	 * nor nodes of one another. Without them there is no quorum.
	 * @param leaseTime The lease of a lock without a lease of its own. It is renewed
	 * after a third of that.
	 * @param timeout How long to wait for the answer of one server.
	 */
	public record Quorum(@DefaultValue List<String> addresses, @DefaultValue("30s") Duration leaseTime,
			@DefaultValue("1s") Duration timeout) {

		/**
		 * Checks the values.
		 */
		public Quorum {
			if (!addresses.isEmpty() && addresses.size() < 3) {
				throw new IllegalArgumentException(
						"'redelay.lock.quorum.addresses' must be of three servers at least, or the loss of one would be "
								+ "the loss of the majority, but there are " + addresses.size());
			}
			new QuorumSettings(leaseTime, timeout);
		}

	}

}
