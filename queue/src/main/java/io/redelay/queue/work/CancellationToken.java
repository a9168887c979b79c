package io.redelay.queue.work;

import java.util.function.Consumer;

import org.jspecify.annotations.Nullable;

/**
 * Signals to a handler that its work is to end: the message was cancelled, the
 * application is stopping, another instance has the message, or there is no time left. A
 * listener method can take it as a parameter. The token of a batch turns when it has
 * turned for each message of the batch; its reason is the shutdown as long as one message
 * has no other reason.
 * <p>
 * A token turns while the handler runs, and never back. The reason of a turned token
 * stays, with one exception: after {@link CancellationReason#SHUTDOWN}, which lets a
 * handler go on for a while, each other reason replaces it.
 * <p>
 * Safe for use by many threads. No method blocks, and none asks Redis.
 *
 * @since 0.1.0
 */
public interface CancellationToken {

	/**
	 * Returns whether the token has turned.
	 * @return whether the handler is to end
	 */
	default boolean isCancelled() {
		return reason() != null;
	}

	/**
	 * Returns why the token has turned.
	 * @return the reason, or {@code null} if it has not turned
	 */
	@Nullable CancellationReason reason();

	/**
	 * Returns normally if the token has not turned. The handler should not catch what it
	 * throws otherwise: that ends the handling as the reason requires.
	 * @throws MessageStoppedException if the application is stopping: the message goes
	 * back, and no attempt is counted
	 * @throws HandlingCancelledException if there is another reason
	 */
	default void throwIfCancelled() {
		CancellationReason reason = reason();
		if (reason == CancellationReason.SHUTDOWN) {
			throw new MessageStoppedException();
		}
		if (reason != null) {
			throw new HandlingCancelledException(reason);
		}
	}

	/**
	 * Has a callback run when the token turns, and again if its reason is replaced. If
	 * the token has turned already, the callback runs at once, on the calling thread;
	 * later it runs on a thread of the listener's handlers, which it should not block for
	 * long. What it throws is logged, and affects neither other callbacks nor the
	 * handling. It does not run after the handling has ended.
	 * @param callback is given the reason
	 * @return the registration, which removes the callback
	 */
	Registration onCancel(Consumer<CancellationReason> callback);

	/**
	 * A callback of a token.
	 */
	@FunctionalInterface
	interface Registration {

		/**
		 * Removes the callback, which may be running on another thread. Does nothing if
		 * it is removed already.
		 */
		void remove();

	}

}
