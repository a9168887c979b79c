package io.redelay.queue.wire;

/**
 * A subscription to wake-ups, which lasts until it is closed.
 *
 * @since 0.1.0
 */
@FunctionalInterface
public interface WakeUpSubscription extends AutoCloseable {

	@Override
	void close();

	/**
	 * Returns whether wake-ups arrive.
	 * @return whether the server has confirmed the subscription
	 */
	default boolean isActive() {
		return true;
	}

}
