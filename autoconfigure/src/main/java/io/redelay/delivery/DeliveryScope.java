package io.redelay.delivery;

import org.jspecify.annotations.Nullable;

/**
 * Tells whether code runs as part of the handling of a message. If a locked method is
 * skipped there, the message must not be acknowledged. A thread has this state itself, a
 * publisher in the context of its subscriber.
 *
 * @since 0.1.0
 */
public final class DeliveryScope implements AutoCloseable {

	/**
	 * The key under which the context of a subscriber, or a snapshot of a thread, holds
	 * {@code true} during a delivery.
	 */
	public static final String CONTEXT_KEY = "io.redelay.queue.delivery";

	private static final ThreadLocal<@Nullable Boolean> ACTIVE = new ThreadLocal<>();

	private final boolean outermost = !isActive();

	private DeliveryScope() {
	}

	/**
	 * Marks this thread as handling a message.
	 * @return the scope, to be closed on the same thread
	 */
	public static DeliveryScope open() {
		DeliveryScope scope = new DeliveryScope();
		set(true);
		return scope;
	}

	/**
	 * Tells whether this thread is handling a message.
	 * @return whether it is
	 */
	public static boolean isActive() {
		return ACTIVE.get() != null;
	}

	static void set(boolean active) {
		if (active) {
			ACTIVE.set(true);
		}
		else {
			ACTIVE.remove();
		}
	}

	@Override
	public void close() {
		if (this.outermost) {
			set(false);
		}
	}

}
