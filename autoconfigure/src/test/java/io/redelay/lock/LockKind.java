package io.redelay.lock;

import org.redisson.api.RLock;
import org.redisson.api.RedissonClient;

/**
 * Each kind of lock that is built in, over which tests of what Redis does to a lock run.
 */
enum LockKind {

	RE_ENTRANT(MyLockType.RE_ENTRANT_LOCK), FAIR(MyLockType.FAIR_LOCK), READ(MyLockType.READ_LOCK),
	WRITE(MyLockType.WRITE_LOCK), FENCED(null);

	private static final String FENCED_PROVIDER = "fencedLockProvider";

	private final MyLockType type;

	LockKind(MyLockType type) {
		this.type = type;
	}

	LockSpec spec(String... names) {
		LockSpec spec = LockSpec.of(names);
		return (this.type != null) ? spec.withType(this.type) : spec.withProvider(FENCED_PROVIDER);
	}

	/**
	 * The key in Redis.
	 */
	String key(String name) {
		return "redelay:" + ((this.type != null) ? this.type.family() : FENCED_PROVIDER) + ":{" + name + "}";
	}

	/**
	 * A lock that this kind excludes.
	 */
	RLock rival(RedissonClient client, String name) {
		String key = key(name);
		return switch (this) {
			case RE_ENTRANT -> client.getLock(key);
			case FAIR -> client.getFairLock(key);
			case READ -> client.getReadWriteLock(key).writeLock();
			case WRITE -> client.getReadWriteLock(key).readLock();
			case FENCED -> client.getFencedLock(key);
		};
	}

}
