package io.redelay.queue.observation;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;

import io.micrometer.core.instrument.Tags;
import io.redelay.log.PlainLog;
import io.redelay.queue.limits.GroupName;
import io.redelay.queue.limits.PartitionName;
import org.apache.commons.logging.Log;
import org.jspecify.annotations.Nullable;

/**
 * The tags of all meters of queues, and how many values they may have. All meters of an
 * application share it, so that a queue is shown by all of them or by none.
 * <p>
 * Safe for use by many threads.
 *
 * @since 0.1.0
 */
public final class QueueTags {

	/**
	 * The value for queues, payload types and exceptions that have no value of their own.
	 */
	public static final String OTHER = BoundedValues.OTHER;

	/**
	 * How many payload types of a queue are distinguished.
	 */
	public static final int MAX_PAYLOAD_TYPES = 20;

	/**
	 * How many types of exceptions are distinguished.
	 */
	public static final int MAX_EXCEPTIONS = 100;

	/**
	 * The tag of the queue.
	 */
	public static final String QUEUE = "messaging.destination.name";

	static final String SYSTEM = "messaging.system";

	static final String SYSTEM_NAME = "redelay";

	static final String OPERATION = "messaging.operation.name";

	static final String OPERATION_TYPE = "messaging.operation.type";

	static final String PAYLOAD_TYPE = "redelay.payload.type";

	static final String OUTCOME = "redelay.outcome";

	/**
	 * Micrometer's name for what OpenTelemetry calls {@code error.type}.
	 */
	static final String ERROR = "error";

	private static final Log logger = PlainLog.of(QueueTags.class);

	private final int maxQueues;

	private final BoundedValues queues;

	private final Map<String, BoundedValues> payloadTypes = new ConcurrentHashMap<>();

	private final BoundedValues exceptions = new BoundedValues(MAX_EXCEPTIONS);

	private final AtomicBoolean logged = new AtomicBoolean();

	/**
	 * Creates tags.
	 * @param maxQueues how many queues have meters of their own; the others are counted
	 * together
	 */
	public QueueTags(int maxQueues) {
		this.maxQueues = maxQueues;
		this.queues = new BoundedValues(maxQueues);
	}

	/**
	 * Returns the name that meters show of a queue. That there are more queues than have
	 * a name of their own is logged once.
	 * @param queue the name that the store has: of a queue, one of its partitions, or a
	 * group of a topic
	 * @return the queue, or {@link #OTHER}
	 */
	public String queue(String queue) {
		String name = this.queues.of(GroupName.lowCardinality(PartitionName.queueOf(queue)));
		if (OTHER.equals(name) && this.logged.compareAndSet(false, true)) {
			logger.warn("There are more than " + this.maxQueues
					+ " queues, so meters count the others together, as the queue '" + OTHER
					+ "'. If a queue is made for"
					+ " each user or order, make one for all of them; else set 'redelay.metrics.max-queues'");
		}
		return name;
	}

	/**
	 * Makes room for another queue after one was deleted.
	 * @param queue what {@link #queue(String)} returned
	 */
	public void forget(String queue) {
		this.queues.forget(queue);
		this.payloadTypes.remove(queue);
	}

	/**
	 * Returns the value that meters show for a payload type.
	 * @param queue what {@link #queue(String)} returned
	 * @param type the logical name, or {@code null} if there is none
	 */
	String payloadType(String queue, @Nullable String type) {
		return this.payloadTypes.computeIfAbsent(queue, (name) -> new BoundedValues(MAX_PAYLOAD_TYPES)).of(type);
	}

	/**
	 * Returns the value that meters show for an exception.
	 * @param exception the name of its class, or {@code null} if there is none
	 */
	String exception(@Nullable String exception) {
		return this.exceptions.of((exception != null) ? exception.substring(exception.lastIndexOf('.') + 1) : null);
	}

	/**
	 * The tags of a timer or counter of an operation.
	 */
	static Tags operation(String queue, String name, String type) {
		return Tags.of(SYSTEM, SYSTEM_NAME, OPERATION, name, OPERATION_TYPE, type, QUEUE, queue);
	}

}
