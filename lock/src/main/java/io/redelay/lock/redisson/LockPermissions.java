package io.redelay.lock.redisson;

import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

import io.redelay.lock.LockKey;
import org.redisson.api.RLock;
import org.redisson.api.RedissonClient;

import org.springframework.core.NestedExceptionUtils;

/**
 * Finds out whether the user of a connection has the rights that locks need, by taking
 * locks that are used for nothing else.
 *
 * @since 0.1.0
 */
public final class LockPermissions {

	private static final long LEASE_MILLIS = 1000;

	/**
	 * The locks have no thread: each has a name of its own.
	 */
	private static final long OWNER = 1;

	private LockPermissions() {
	}

	/**
	 * Takes and releases a lock of each kind.
	 * @param redisson the client of the server
	 * @param prefix the prefix of the keys of locks
	 * @return each kind that was refused for a missing right, with the answer of Redis;
	 * fails if Redis does not answer
	 */
	public static CompletableFuture<List<String>> findRefusals(RedissonClient redisson, String prefix) {
		String name = LockKey.of(redisson, prefix, "lock", "permissions-" + UUID.randomUUID()).key();
		CompletableFuture<List<String>> all = tryOut("lock", redisson.getLock(name));
		all = both(all, tryOut("fair lock", redisson.getFairLock(name + ":fair")));
		return both(all, tryOut("read lock", redisson.getReadWriteLock(name + ":rw").readLock()));
	}

	private static CompletableFuture<List<String>> both(CompletableFuture<List<String>> one,
			CompletableFuture<List<String>> other) {
		return one.thenCombine(other, (some, more) -> Stream.concat(some.stream(), more.stream()).toList());
	}

	private static CompletableFuture<List<String>> tryOut(String kind, RLock lock) {
		return lock.tryLockAsync(0, LEASE_MILLIS, TimeUnit.MILLISECONDS, OWNER)
			.thenCompose((locked) -> lock.unlockAsync(OWNER))
			.handle((unlocked, failure) -> (failure != null) ? refusals(kind, failure) : List.<String>of())
			.toCompletableFuture();
	}

	private static List<String> refusals(String kind, Throwable failure) {
		Throwable cause = NestedExceptionUtils.getMostSpecificCause(failure);
		String message = String.valueOf(cause.getMessage());
		if (message.contains("NOPERM") || message.contains("ACL failure")
				|| message.contains("executing the script can't")) {
			return List.of(kind + ": " + message.replaceFirst("( script: |\\. channel: )(?s).*", ""));
		}
		throw new IllegalStateException("A lock could not be tried out", ResentRequests.causeOf(cause));
	}

}
