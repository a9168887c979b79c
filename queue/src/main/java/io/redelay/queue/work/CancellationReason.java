package io.redelay.queue.work;

/**
 * Why the handling of a message is to end early; see {@link CancellationToken}.
 *
 * @since 0.1.0
 */
public enum CancellationReason {

	/**
	 * The message was cancelled, as with
	 * {@link io.redelay.queue.admin.MessageAdmin#cancel}. If the handler ends with an
	 * exception, the message ends as cancelled, which is not a failure.
	 */
	CANCELLED,

	/**
	 * The listener or the application is stopping. If the handler ends now, with
	 * {@code throw delivery.stopped()}, another instance handles the message again, and
	 * no attempt is counted. Otherwise it may run for the rest of the shutdown timeout.
	 */
	SHUTDOWN,

	/**
	 * This instance does not hold the message any more, so that another one may be
	 * handling it: the lease ran out, the queue was deleted, or the message was given
	 * back at the end of a shutdown. Of the handler's settlements only an acknowledgement
	 * counts, if no other instance holds the message.
	 */
	LEASE_LOST,

	/**
	 * The handling took longer than {@code maxHandlingTime}. Its outcome is already
	 * decided.
	 */
	TIMED_OUT,

	/**
	 * The deadline of the message has passed.
	 */
	DEADLINE

}
