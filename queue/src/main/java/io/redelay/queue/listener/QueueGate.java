package io.redelay.queue.listener;

/**
 * Says whether the listeners of this instance may claim now: a circuit breaker, a pool
 * that is full. All beans of this type are asked, and all must agree. It holds for this
 * instance only; {@link QueueGates} closes a queue for all.
 * <p>
 * While it is closed for a listener, the listener claims nothing from the queue. Its
 * running handlers go on, and messages that wait for a handler are given back with no
 * attempt counted, so that other instances can claim them. The listener asks again each
 * second, and at once if the gate reports a change.
 *
 * @since 0.1.0
 */
@FunctionalInterface
public interface QueueGate {

	/**
	 * Returns whether a listener may claim from a queue. Called before each claim and
	 * each time a message is settled, on threads of the library, many at a time: must not
	 * block and must not make remote calls. A gate that throws counts as open, which is
	 * logged once a minute.
	 * @param listener the id of the listener
	 * @param queue the queue
	 * @return whether it may
	 */
	boolean isOpen(String listener, String queue);

	/**
	 * Gives the gate something to call when it has opened or closed, so that listeners
	 * notice at once. Called once, before the first {@link #isOpen}; does nothing by
	 * default. If it throws, that is logged, and the gate is only asked each second.
	 * @param changed notifies the listeners; quick, and safe to call from any thread
	 */
	default void onChange(Runnable changed) {
	}

}
