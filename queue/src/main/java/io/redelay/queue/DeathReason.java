package io.redelay.queue;

/**
 * Why a message is dead.
 *
 * @since 0.1.0
 */
public enum DeathReason {

	/**
	 * Its handling failed as often as it may, or with a failure that is not retried.
	 */
	FAILED,

	/**
	 * Its handler rejected it.
	 */
	REJECTED,

	/**
	 * It cannot be read, converted or validated, or lacks a header: see
	 * {@link PayloadConversionException}.
	 */
	CONVERSION_FAILED,

	/**
	 * Its handling had not begun within its time to live.
	 */
	EXPIRED,

	/**
	 * Its {@linkplain OutboundMessage#deadline(java.time.Duration) deadline} passed, or
	 * would have before its next attempt.
	 */
	DEADLINE,

	/**
	 * As many instances as are allowed died while they handled it as their suspect.
	 */
	CRASHED,

	/**
	 * It was buried by request while it waited, without being handled: see
	 * {@link io.redelay.queue.admin.MessageAdmin#bury}.
	 */
	BURIED,

	/**
	 * It came through the inlet of its queue, and cannot be sent: its text is kept as its
	 * payload, and nothing was handled.
	 */
	REFUSED

}
