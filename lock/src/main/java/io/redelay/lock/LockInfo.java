package io.redelay.lock;

import java.time.Duration;
import java.time.Instant;
import java.util.List;

import org.jspecify.annotations.Nullable;

/**
 * A lock that somebody holds or waits for.
 *
 * @param name its name, without the prefix of its key
 * @param type its type, or the name of its provider
 * @param holders who holds it; several if it is a read lock
 * @param waiters who waits for it, who has waited for longest first; for a fair lock in
 * the order in which they get it, at most 100 of those that are in its line in Redis
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
	 * Who holds a lock.
	 *
	 * @param instance the name of the instance in the store; {@code null} if it does not
	 * tell of itself
	 * @param name what people call the instance, or by what Redis knows it if it does not
	 * tell of itself
	 * @param thread the thread that took it; {@code null} if the instance does not tell
	 * of it
	 * @param queue the queue whose message the thread handled, or {@code null} for none
	 * @param since since when, by the clock of Redis; {@code null} if the instance does
	 * not tell of it
	 * @param lease how long its lease lasts yet; {@code null} if Redis was not asked
	 */
	public record Holder(@Nullable String instance, String name, @Nullable String thread, @Nullable String queue,
			@Nullable Instant since, @Nullable Duration lease) {

	}

	/**
	 * Who waits for a lock.
	 *
	 * @param instance the name of the instance in the store, or {@code null} if it does
	 * not tell of itself
	 * @param name what people call the instance, or by what Redis knows it if it does not
	 * tell of itself
	 * @param thread the thread that asked for it, or {@code null} if the instance does
	 * not tell of it
	 * @param queue the queue whose message the thread handles, or {@code null} for none
	 * @param since since when it has waited, by the clock of Redis, or {@code null} if
	 * the instance does not tell of it
	 */
	public record Waiter(@Nullable String instance, String name, @Nullable String thread, @Nullable String queue,
			@Nullable Instant since) {

	}

}
