package io.redelay.lock;

/**
 * Is told what happens to locks. What it throws is logged and changes nothing.
 *
 * @since 0.1.0
 */
@FunctionalInterface
public interface LockListener {

	/**
	 * Something happened, never on a thread of the Redis client.
	 * @param event what
	 */
	void onLockEvent(LockEvent event);

}
