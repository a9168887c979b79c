package io.redelay.queue;

/**
 * How a running handler is told that its message was cancelled. One that takes longer
 * than {@code maxHandlingTime}, or than the deadline of its message, is interrupted in
 * both modes.
 *
 * @since 0.1.0
 */
public enum CancellationMode {

	/**
	 * Its {@link CancellationToken} turns. The handler ends if it heeds that.
	 */
	SIGNAL,

	/**
	 * Its {@link CancellationToken} turns, its thread is interrupted, and the future or
	 * the {@code Mono} that it returned is cancelled. The same if another instance may
	 * have the message; never because the application stops.
	 */
	INTERRUPT

}
