package io.redelay.queue.observation;

import java.util.Map;

import io.micrometer.observation.transport.Kind;
import io.micrometer.observation.transport.ReceiverContext;
import org.jspecify.annotations.Nullable;

/**
 * The context of the observation of a message that is handled, or of the first one of a
 * batch.
 *
 * @since 0.1.0
 */
public class QueueProcessContext extends ReceiverContext<Map<String, Object>> {

	/**
	 * The outcome of a handling that succeeded.
	 */
	public static final String HANDLED = "handled";

	/**
	 * The outcome of a handling that failed.
	 */
	public static final String FAILED = "failed";

	/**
	 * The outcome of a message that was not handled, because one with the same
	 * idempotency key was.
	 */
	public static final String DUPLICATE = "duplicate";

	/**
	 * The outcome of a message that was given back, because one with the same idempotency
	 * key is being handled.
	 */
	public static final String POSTPONED = "postponed";

	/**
	 * The outcome of a handling that stopped before its end, so that the message was
	 * given back.
	 */
	public static final String STOPPED = "stopped";

	/**
	 * The outcome of a message that was cancelled while it was in hand, and whose
	 * handling has not succeeded.
	 */
	public static final String CANCELLED = "cancelled";

	/**
	 * The outcome of a handling that does not count, for another instance may have the
	 * message.
	 */
	public static final String LOST = "lost";

	private final String queue;

	private final String id;

	private final String listenerId;

	private volatile @Nullable String outcome;

	/**
	 * Creates a context.
	 * @param queue the queue
	 * @param id the id of the message
	 * @param listenerId the id of the listener
	 * @param headers the headers of the message
	 */
	public QueueProcessContext(String queue, String id, String listenerId, Map<String, Object> headers) {
		super((carrier, name) -> {
			Object value = carrier.get(name);
			return (value != null) ? value.toString() : null;
		}, Kind.CONSUMER);
		this.queue = queue;
		this.id = id;
		this.listenerId = listenerId;
		setCarrier(headers);
		setRemoteServiceName("redis");
	}

	/**
	 * The queue.
	 * @return its name
	 */
	public String getQueue() {
		return this.queue;
	}

	/**
	 * The id of the message.
	 * @return the id
	 */
	public String getId() {
		return this.id;
	}

	/**
	 * The id of the listener.
	 * @return the id
	 */
	public String getListenerId() {
		return this.listenerId;
	}

	/**
	 * How the handling ended.
	 * @return the outcome, or {@code null} while the handling goes on
	 */
	public @Nullable String getOutcome() {
		return this.outcome;
	}

	/**
	 * Sets how the handling ended.
	 * @param outcome the outcome
	 */
	public void setOutcome(String outcome) {
		this.outcome = outcome;
	}

}
