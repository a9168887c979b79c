package io.redelay.queue;

/**
 * The names of the headers that a delivered message has in addition to its sender's own.
 *
 * @since 0.1.0
 */
public final class QueueHeaders {

	/**
	 * The prefix of all these headers; a sender's own headers must not have it.
	 */
	public static final String PREFIX = "redelay_";

	/**
	 * The id that its sender gave the message, or else its uid: a string.
	 */
	public static final String ID = PREFIX + "id";

	/**
	 * The store's identifier of the message, never used twice: a string.
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
	 * How often an instance died while it handled the message as its suspect: an integer.
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
	 * The ordering key of the message: a string; missing if it has none.
	 */
	public static final String ORDERING_KEY = PREFIX + "orderingKey";

	/**
	 * The fairness key of the message: a string; missing if it has none.
	 */
	public static final String FAIRNESS_KEY = PREFIX + "fairnessKey";

	/**
	 * The priority of the message, 0 to 9: an integer; missing if neither its sender nor
	 * a property of the queue gave it one.
	 */
	public static final String PRIORITY = PREFIX + "priority";

	/**
	 * The tags of the message: a set of strings; missing if it has none.
	 */
	public static final String TAGS = PREFIX + "tags";

	/**
	 * The logical name of what the payload is: a string; missing if its sender gave none.
	 */
	public static final String PAYLOAD_TYPE = PREFIX + "payloadType";

	/**
	 * The id of the listener: a string.
	 */
	public static final String LISTENER = PREFIX + "listener";

	/**
	 * The queue in which a dead letter died: a string. Only dead letters that were
	 * forwarded to another queue have this header and those that follow.
	 */
	public static final String ORIGINAL_QUEUE = PREFIX + "originalQueue";

	/**
	 * The id that a dead letter had there, or else its uid: a string.
	 */
	public static final String ORIGINAL_ID = PREFIX + "originalId";

	/**
	 * The uid that a dead letter had there: a string.
	 */
	public static final String ORIGINAL_UID = PREFIX + "originalUid";

	/**
	 * When a dead letter was sent there, by the clock of Redis: a string like
	 * {@code 2026-11-20T12:00:00.123Z}, which an {@link java.time.Instant} parameter
	 * takes too.
	 */
	public static final String ORIGINAL_SENT_AT = PREFIX + "originalSentAt";

	/**
	 * When a dead letter died, by the clock of Redis: a string, as
	 * {@link #ORIGINAL_SENT_AT}.
	 */
	public static final String DIED_AT = PREFIX + "diedAt";

	/**
	 * Why a dead letter died: the name of a {@link DeathReason}, which a parameter of
	 * that type takes too.
	 */
	public static final String DEATH_REASON = PREFIX + "deathReason";

	/**
	 * The type of the last failure of a dead letter: a string; missing if there was none.
	 */
	public static final String DEATH_EXCEPTION = PREFIX + "deathException";

	/**
	 * Why a dead letter died, in words: a string.
	 */
	public static final String DEATH_MESSAGE = PREFIX + "deathMessage";

	/**
	 * The stack trace of the last failure of a dead letter: a string; missing if nothing
	 * was thrown.
	 */
	public static final String DEATH_STACK_TRACE = PREFIX + "deathStackTrace";

	/**
	 * The instance on which a dead letter died: a string.
	 */
	public static final String DEATH_INSTANCE = PREFIX + "deathInstance";

	/**
	 * The id of the listener with which a dead letter died: a string.
	 */
	public static final String DEATH_LISTENER = PREFIX + "deathListener";

	/**
	 * How often the handling of a dead letter had failed: an integer.
	 */
	public static final String DEATH_FAILURES = PREFIX + "deathFailures";

	/**
	 * How often instances had died while they handled a dead letter as their suspect: an
	 * integer.
	 */
	public static final String DEATH_CRASHES = PREFIX + "deathCrashes";

	/**
	 * The id of the bundle that a message was sent in, or whose callback it is.
	 */
	public static final String BUNDLE = PREFIX + "bundle";

	/**
	 * The queue of the callback of the bundle that a message was sent in.
	 */
	public static final String BUNDLE_QUEUE = PREFIX + "bundleQueue";

	/**
	 * How many bytes its bundle keeps of what the handler of a message returns; see
	 * {@link io.redelay.queue.bundle.BundleCallback#keepResults()}.
	 */
	public static final String BUNDLE_RESULT = PREFIX + "bundleResult";

	/**
	 * The name of the recurring message, if the message is one.
	 */
	public static final String RECURRING = PREFIX + "recurring";

	/**
	 * The time of its tick, if the message is a recurring one, as ISO 8601 has it.
	 */
	public static final String TICK = PREFIX + "tick";

	/**
	 * The instance that waits for what the handler returns, if one does.
	 */
	public static final String RESULT_TO = PREFIX + "resultTo";

	/**
	 * The {@link Acknowledgment} of the delivery.
	 */
	public static final String ACKNOWLEDGMENT = PREFIX + "acknowledgment";

	private QueueHeaders() {
	}

}
