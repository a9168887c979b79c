package io.redelay.queue;

/**
 * The names of the headers that a delivered message has beside its sender's own.
 *
 * @since 0.1.0
 */
public final class QueueHeaders {

	/**
	 * What the names of all these headers begin with; a sender's own may not.
	 */
	public static final String PREFIX = "redelay_";

	/**
	 * The id its sender gave the message, or else its uid: a string.
	 */
	public static final String ID = PREFIX + "id";

	/**
	 * The store's name for the message, never used twice: a string.
	 */
	public static final String UID = PREFIX + "uid";

	/**
	 * The queue: a string.
	 */
	public static final String QUEUE = PREFIX + "queue";

	/**
	 * The number of this delivery, from 1: an integer.
	 */
	public static final String ATTEMPT = PREFIX + "attempt";

	/**
	 * How often handling failed before: an integer.
	 */
	public static final String FAILURES = PREFIX + "failures";

	/**
	 * How often an instance died while the message was a suspect of its: an integer.
	 */
	public static final String CRASHES = PREFIX + "crashes";

	/**
	 * When the message was sent, by the clock of Redis: an {@link java.time.Instant}.
	 */
	public static final String SENT_AT = PREFIX + "sentAt";

	/**
	 * When the message was due, by the clock of Redis: an {@link java.time.Instant}.
	 */
	public static final String DUE_AT = PREFIX + "dueAt";

	/**
	 * The id of the listener: a string.
	 */
	public static final String LISTENER = PREFIX + "listener";

	/**
	 * The {@link Acknowledgment} of the delivery.
	 */
	public static final String ACKNOWLEDGMENT = PREFIX + "acknowledgment";

	private QueueHeaders() {
	}

}
