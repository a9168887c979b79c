package io.redelay.queue.listener;

import java.util.List;
import java.util.Set;

/**
 * Hands the deliveries of a container on to whoever handles them.
 * <p>
 * Safe for use by many threads. No method blocks.
 */
interface DeliveryDispatcher {

	/**
	 * Adds deliveries of one owner to those of its queue that wait.
	 */
	void dispatch(List<Delivery> deliveries);

	/**
	 * Removes and returns the waiting deliveries of an owner.
	 */
	List<Delivery> withdraw(DeliveryOwner owner);

	/**
	 * Removes and returns those of the waiting deliveries of an owner that have waited
	 * for too long.
	 */
	List<Delivery> withdrawStalled(DeliveryOwner owner);

	/**
	 * Returns the deliveries that wait now.
	 */
	Set<Delivery> waiting();

	/**
	 * Returns how many handlers run now.
	 */
	default int running() {
		return 0;
	}

	/**
	 * Hands more on after the number of permits has changed.
	 */
	void startMore();

	/**
	 * Takes note that a claim of an owner was answered, and what it brought dispatched.
	 */
	default void answered(DeliveryOwner owner) {
	}

	/**
	 * Takes note that a request of an owner was not answered.
	 */
	default void failed(Throwable failure) {
	}

}
