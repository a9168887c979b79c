package io.redelay.queue;

/**
 * Why the handling of a message is to end before its time; see {@link CancellationToken}.
 *
 * @since 0.1.0
 */
public enum CancellationReason {

	/**
	 * The message was cancelled, as with
	 * {@link io.redelay.queue.admin.QueueAdmin#cancel}. If the handler ends with an
	 * exception, the message ends as cancelled, which is not a failure.
	 */
	CANCELLED,

	/**
	 * The listener or the application is stopping. What ends now, with
	 * {@code throw delivery.stopped()}, is handled again by another instance, and counts
	 * no attempt; what does not has the rest of the time that the application takes to
	 * stop.
	 */
	SHUTDOWN,

	/**
	 * This instance does not hold the message any more, so that another one may be
	 * handling it: the lease ran out, the queue was deleted, or the message was given
	 * back at the end of a shutdown. Of what the handler says of the message only an
	 * acknowledgement counts, if nobody else has it.
	 */
	LEASE_LOST,

	/**
	 * The handling took longer than {@code maxHandlingTime}. Its outcome has been decided
	 * on.
	 */
	TIMED_OUT,

	/**
	 * The deadline of the message has passed.
	 */
	DEADLINE

}
