package io.redelay.lock;

/**
 * Receives the events of locks. An exception of a listener is logged and changes nothing.
 *
 * @since 0.1.0
 */
@FunctionalInterface
public interface LockListener {

	/**
	 * Receives an event. Never called on a thread of the Redis client.
	 * @param event the event
	 */
	void onLockEvent(LockEvent event);

}
