package io.redelay.lock;

import java.util.List;

/**
 * Tells which locks are held, by whom, since when, and who waits for them. There is a
 * bean of this type where queues are switched on as well, for instances tell of their
 * locks there: every five seconds, at most a hundred each, those that are held or waited
 * for longest.
 * <p>
 * Safe for use by many threads.
 *
 * @since 0.1.0
 */
public interface LockAdmin {

	/**
	 * Lists the locks that the instances tell of.
	 * @return the locks: those that most wait for first, then those that have been held
	 * for longest
	 */
	List<LockInfo> locks();

	/**
	 * Asks Redis who holds the locks of a name now, and how long their leases last yet.
	 * Who waits is known from what the instances tell. Of a lock of a provider that keeps
	 * it elsewhere, only that is known.
	 * @param name the name, without the prefix of its key
	 * @return the locks of this name, by their types; empty if nobody holds or awaits one
	 */
	List<LockInfo> lock(String name);

}
