package io.redelay.delivery;

import java.time.Duration;
import java.util.List;

/**
 * Which locks the threads of this application hold and wait for, and how often handlers
 * of messages did not get theirs.
 * <p>
 * Safe for use by many threads.
 *
 * @since 0.1.0
 */
public interface LockActivity {

	/**
	 * Returns whether a lock was ever requested.
	 * @return whether one was
	 */
	boolean isUsed();

	/**
	 * Sets the action to run when a lock is requested for the first time.
	 * @param action must be quick, and not block
	 */
	void onFirstUse(Runnable action);

	/**
	 * Returns the locks that are held and waited for, the longest first.
	 * @return each name of each lock by itself
	 */
	List<LockUse> uses();

	/**
	 * Returns how often handlers of messages of a queue did not get a lock in the last
	 * minute.
	 * @param queue the queue
	 * @return how often
	 */
	long refusals(String queue);

	/**
	 * Returns how long handlers of messages of a queue waited for locks in the last
	 * minute, those that they did not get included.
	 * @param queue the queue
	 * @return the sum of their waits that have ended
	 */
	Duration waited(String queue);

}
