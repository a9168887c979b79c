package io.redelay.lock;

import java.time.Instant;
import java.util.List;

/**
 * Shows which locks are held, by which instances, since when, and which instances wait
 * for them. With queues, each instance reports its locks every five seconds: at most a
 * hundred, the ones held or waited for longest. With {@code redelay.queue.enabled=false}
 * an instance knows only its own locks, and what Redis has of them.
 * <p>
 * Safe for use by many threads.
 *
 * @since 0.1.0
 */
public interface LockAdmin {

	/**
	 * Lists the locks that the instances report. The waiters of the first hundred fair
	 * locks are read from Redis.
	 * @return the locks: the ones with most waiters first, then the ones held for longest
	 * @throws LockException if Redis does not answer
	 */
	List<LockInfo> locks();

	/**
	 * Reads from Redis which instances hold the locks of a name now, and the remaining
	 * time of their leases. A lock that is held for its {@link MyLock#minHold() minHold}
	 * still has its last holder. The waiters of a fair lock are read from its line in
	 * Redis, those of any other lock from the reports of the instances. The servers of a
	 * quorum are asked too, whether the application's Redis is one of them or not: a lock
	 * that a majority of them keeps is held. A provider that keeps its locks elsewhere is
	 * asked through {@link LockProvider#holds(String)}; if it does not implement that,
	 * only the reports of the instances are known.
	 * @param name the name, without the prefix of its key
	 * @return the locks of this name, by their types; empty if none is held or waited for
	 * @throws LockException if Redis does not answer
	 */
	List<LockInfo> lock(String name);

	/**
	 * Returns what time it is by the clock that the times of locks are by: with queues
	 * that of Redis, else that of this JVM.
	 * @return the time
	 */
	default Instant now() {
		return Instant.now();
	}

}
