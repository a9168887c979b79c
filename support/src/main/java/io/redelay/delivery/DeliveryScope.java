package io.redelay.delivery;

import org.jspecify.annotations.Nullable;

/**
 * Marks code that runs as part of the handling of a message. If a locked method is
 * skipped there, the message must not be acknowledged. A thread has this state itself, a
 * publisher in the context of its subscriber.
 *
 * @since 0.1.0
 */
public final class DeliveryScope implements AutoCloseable {

	/**
	 * The key under which the context of a subscriber, or a snapshot of a thread, holds
	 * the {@linkplain #current() handling} during a delivery.
	 */
	public static final String CONTEXT_KEY = "io.redelay.queue.delivery";

	private static final ThreadLocal<@Nullable Object> CURRENT = new ThreadLocal<>();

	private final @Nullable Object before = current();

	private DeliveryScope() {
	}

	/**
	 * Marks this thread as handling a message: the one that it handles already, if it
	 * does.
	 * @return the scope, to be closed on the same thread
	 */
	public static DeliveryScope open() {
		Object handling = current();
		return open((handling != null) ? handling : true);
	}

	/**
	 * Marks this thread as handling a message.
	 * @param handling stands for the handling, see {@link #current()}
	 * @return the scope, to be closed on the same thread
	 */
	public static DeliveryScope open(Object handling) {
		DeliveryScope scope = new DeliveryScope();
		set(handling);
		return scope;
	}

	/**
	 * Returns whether this thread is handling a message.
	 * @return whether it is
	 */
	public static boolean isActive() {
		return current() != null;
	}

	/**
	 * Returns the object that represents the handling of a message on this thread.
	 * @return the object the scope was opened with, or {@code true} if it had none;
	 * {@code null} outside of a scope
	 */
	public static @Nullable Object current() {
		return CURRENT.get();
	}

	static void set(@Nullable Object handling) {
		if (handling != null) {
			CURRENT.set(handling);
		}
		else {
			CURRENT.remove();
		}
	}

	@Override
	public void close() {
		set(this.before);
	}

}
