package io.redelay.lock;

import java.util.List;

/**
 * Tells which locks are held, by whom, since when, and who waits for them. Instances tell
 * of their locks where queues are: every five seconds, at most a hundred each, those that
 * are held or waited for longest. With {@code redelay.queue.enabled=false} an instance
 * knows only its own locks, and what Redis tells of them.
 * <p>
 * Safe for use by many threads.
 *
 * @since 0.1.0
 */
public interface LockAdmin {

	/**
	 * Lists the locks that the instances tell of. Who waits for the first hundred fair
	 * locks is read from Redis.
	 * @return the locks: those that most wait for first, then those that have been held
	 * for longest
	 * @throws LockException if Redis does not answer
	 */
	List<LockInfo> locks();

	/**
	 * Asks Redis who holds the locks of a name now, and how long their leases last yet. A
	 * lock that is held for its {@link MyLock#minHold() minHold} has the holder that it
	 * had. Who waits for a fair lock is read from its line in Redis, who waits for
	 * another one is known from what the instances tell. The servers of a quorum are
	 * asked too, whether the application's Redis is one of them or not: what a majority
	 * of them keeps is held. Of a lock of another provider that keeps it elsewhere, that
	 * is known too if {@link LockProvider#holds(String)} says so, else only what the
	 * instances tell.
	 * @param name the name, without the prefix of its key
	 * @return the locks of this name, by their types; empty if nobody holds or awaits one
	 * @throws LockException if Redis does not answer
	 */
	List<LockInfo> lock(String name);

}
