package io.redelay.queue.work;

/**
 * How a running handler is notified that its message was cancelled. A handler that
 * exceeds {@code maxHandlingTime}, or the deadline of its message, is interrupted in both
 * modes.
 *
 * @since 0.1.0
 */
public enum CancellationMode {

	/**
	 * Its {@link CancellationToken} turns. The handler ends if it checks the token.
	 */
	SIGNAL,

	/**
	 * Its {@link CancellationToken} turns, its thread is interrupted, and the future or
	 * the {@code Mono} that it returned is cancelled. The same if another instance may
	 * have the message; never because the application stops.
	 */
	INTERRUPT

}
