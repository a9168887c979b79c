package io.redelay.queue.handle;

import java.util.List;
import java.util.Set;

/**
 * Passes the deliveries of a container to their handlers. By default no delivery waits
 * for a handler.
 * <p>
 * Safe for use by many threads. No method blocks.
 */
public interface DeliveryDispatcher {

	/**
	 * Adds deliveries of one owner to the waiting ones of its queue.
	 */
	void dispatch(List<Delivery> deliveries);

	/**
	 * Removes and returns the waiting deliveries of an owner.
	 */
	default List<Delivery> withdraw(DeliveryOwner owner) {
		return List.of();
	}

	/**
	 * Removes and returns the deliveries of an owner that have waited for too long.
	 */
	default List<Delivery> withdrawStalled(DeliveryOwner owner) {
		return List.of();
	}

	/**
	 * Returns the deliveries that wait now.
	 */
	default Set<Delivery> waiting() {
		return Set.of();
	}

	/**
	 * Returns how many handlers run now.
	 */
	default int running() {
		return 0;
	}

	/**
	 * Starts more handlers if deliveries wait and there are permits for them.
	 */
	default void startMore() {
	}

	/**
	 * Called when a claim of an owner was answered and its messages dispatched.
	 */
	default void answered(DeliveryOwner owner) {
	}

	/**
	 * Called when a request of an owner was not answered.
	 */
	default void failed(Throwable failure) {
	}

}
