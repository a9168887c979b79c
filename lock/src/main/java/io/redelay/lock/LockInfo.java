package io.redelay.lock;

import java.time.Duration;
import java.time.Instant;
import java.util.List;

import org.jspecify.annotations.Nullable;

/**
 * A lock that is held or waited for.
 *
 * @param name its name, without the prefix of its key
 * @param type its type, or the name of its provider
 * @param holders its holders; several if it is a read lock
 * @param waiters its waiters, the longest wait first; for a fair lock the first 100 of
 * its line in Redis, in the order in which they get the lock
 * @since 0.1.0
 */
public record LockInfo(String name, String type, List<Holder> holders, List<Waiter> waiters) {

	/**
	 * Copies the lists.
	 */
	public LockInfo {
		holders = List.copyOf(holders);
		waiters = List.copyOf(waiters);
	}

	/**
	 * A holder of a lock.
	 *
	 * @param instance the name of the instance in the store; {@code null} if it does not
	 * report its locks
	 * @param name the display name of the instance, or the id of its Redis client if it
	 * does not report its locks
	 * @param thread the thread that took it; {@code null} if the instance does not report
	 * it
	 * @param queue the queue whose message the thread handled, or {@code null} for none
	 * @param since when it was taken, by the clock of Redis; {@code null} if the instance
	 * does not report it
	 * @param reportedAt when the instance reported that, by the clock of Redis;
	 * {@code null} if it does not report it. What is not confirmed by Redis may have
	 * changed since
	 * @param lease the remaining time of its lease; {@code null} if Redis was not asked
	 */
	public record Holder(@Nullable String instance, String name, @Nullable String thread, @Nullable String queue,
			@Nullable Instant since, @Nullable Instant reportedAt, @Nullable Duration lease) {

	}

	/**
	 * A waiter for a lock.
	 *
	 * @param instance the name of the instance in the store, or {@code null} if it does
	 * not report its locks
	 * @param name the display name of the instance, or the id of its Redis client if it
	 * does not report its locks
	 * @param thread the thread that requested it, or {@code null} if the instance does
	 * not report it
	 * @param queue the queue whose message the thread handles, or {@code null} for none
	 * @param since when it began to wait, by the clock of Redis, or {@code null} if the
	 * instance does not report it
	 * @param reportedAt when the instance reported that, by the clock of Redis
	 */
	public record Waiter(@Nullable String instance, String name, @Nullable String thread, @Nullable String queue,
			@Nullable Instant since, @Nullable Instant reportedAt) {

	}

}
