package io.redelay.queue.handle;

import java.time.Instant;

/**
 * When messages were claimed, for tests.
 */
public final class ClaimTime {

	private ClaimTime() {
	}

	/**
	 * Returns the time by the clock of Redis in the reply that brought a message.
	 * @param nanoTime the present time of its container
	 */
	public static Instant of(Delivery delivery, long nanoTime) {
		return delivery.storeTime().minusNanos(delivery.claim().heldNanos(nanoTime));
	}

}
