package io.redelay.queue;

import org.jspecify.annotations.Nullable;

/**
 * Tells whether what runs on a thread is the handler of a message, which must then not be
 * acknowledged if its work was left out.
 *
 * @since 0.1.0
 */
public final class DeliveryScope implements AutoCloseable {

	private static final ThreadLocal<@Nullable DeliveryScope> CURRENT = new ThreadLocal<>();

	private DeliveryScope() {
	}

	/**
	 * Begins the call of a handler on this thread.
	 * @return the scope, to be closed on the same thread
	 */
	public static DeliveryScope open() {
		DeliveryScope scope = new DeliveryScope();
		CURRENT.set(scope);
		return scope;
	}

	/**
	 * Whether a handler is being called on this thread.
	 * @return whether one is
	 */
	public static boolean isActive() {
		return CURRENT.get() != null;
	}

	@Override
	public void close() {
		CURRENT.remove();
	}

}
