package io.redelay.delivery;

import org.jspecify.annotations.Nullable;

/**
 * Tells whether what runs is part of the handling of a message, which must then not be
 * acknowledged if its work was left out. A thread knows by itself, a publisher by its
 * subscriber's context.
 *
 * @since 0.1.0
 */
public final class DeliveryScope implements AutoCloseable {

	/**
	 * Under this key a subscriber's context, or a snapshot of a thread's, has
	 * {@code true} if there is a delivery.
	 */
	public static final String CONTEXT_KEY = "io.redelay.queue.delivery";

	private static final ThreadLocal<@Nullable Boolean> ACTIVE = new ThreadLocal<>();

	private final boolean outermost = !isActive();

	private DeliveryScope() {
	}

	/**
	 * Begins a part of the handling on this thread.
	 * @return the scope, to be closed on the same thread
	 */
	public static DeliveryScope open() {
		DeliveryScope scope = new DeliveryScope();
		set(true);
		return scope;
	}

	/**
	 * Whether a message is being handled on this thread.
	 * @return whether one is
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
