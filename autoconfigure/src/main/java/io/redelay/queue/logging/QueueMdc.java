package io.redelay.queue.logging;

/**
 * The names under which the MDC holds what is handled, on the handler's thread.
 * {@code redelay.queue.mdc.enabled=false} leaves the MDC alone.
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
	 * What the names of the headers begin with in which the entries of the sender's MDC
	 * travel that {@code redelay.queue.mdc.keys} names.
	 */
	public static final String HEADER_PREFIX = "mdc_";

	private QueueMdc() {
	}

}
