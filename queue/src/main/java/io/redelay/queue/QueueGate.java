package io.redelay.queue;

/**
 * Says whether the listeners of this instance may claim now: a circuit breaker, a pool
 * that is full. All beans of this type are asked, and all must agree. It holds for this
 * instance only; {@link QueueGates} closes a queue for all.
 * <p>
 * While it is closed for a listener, the listener claims nothing from the queue, what its
 * handlers have in hand goes on, and what waits for them goes back with nothing counted,
 * so that other instances can have it. The listener asks again each second, and at once
 * if the gate tells that it has changed.
 *
 * @since 0.1.0
 */
@FunctionalInterface
public interface QueueGate {

	/**
	 * Tells whether a listener may claim from a queue. Called before each claim and each
	 * time a message is settled, on threads of the library, many at a time: must neither
	 * wait nor ask anybody. One that throws counts as open, which the log tells once a
	 * minute.
	 * @param listener the id of the listener
	 * @param queue the queue
	 * @return whether it may
	 */
	boolean isOpen(String listener, String queue);

	/**
	 * Gives the gate something to call when it has opened or closed, so that listeners
	 * notice at once. Called once, before the first {@link #isOpen}; does nothing by
	 * default. If it throws, the log tells, and the gate is only asked each second.
	 * @param changed tells the listeners; quick, and safe to call from any thread
	 */
	default void onChange(Runnable changed) {
	}

}
