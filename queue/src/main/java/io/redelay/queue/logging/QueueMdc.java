package io.redelay.queue.logging;

/**
 * The keys of the MDC entries on a handler's thread.
 * {@code redelay.queue.mdc.enabled=false} switches them off.
 *
 * @since 0.1.0
 */
public final class QueueMdc {

	/**
	 * The queue.
	 */
	public static final String QUEUE = "redelay.queue";

	/**
	 * The id of the message; not for a batch of several.
	 */
	public static final String ID = "redelay.id";

	/**
	 * The number of the delivery, from 1; not for a batch of several.
	 */
	public static final String ATTEMPT = "redelay.attempt";

	/**
	 * The id of the listener.
	 */
	public static final String LISTENER = "redelay.listener";

	/**
	 * The prefix of the headers that carry the entries of the sender's MDC which
	 * {@code redelay.queue.mdc.keys} names.
	 */
	public static final String HEADER_PREFIX = "mdc_";

	private QueueMdc() {
	}

}
