package io.redelay.queue.observation;

import java.util.List;
import java.util.Map;

import io.micrometer.observation.transport.Kind;
import io.micrometer.observation.transport.ReceiverContext;
import org.jspecify.annotations.Nullable;

/**
 * The context of the observation of a handling of a message or a batch. A single message
 * belongs to the trace of its sender. A batch belongs to none of its senders' traces, but
 * can link to all of them.
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
	 * idempotency key was handled.
	 */
	public static final String DUPLICATE = "duplicate";

	/**
	 * The outcome of a message that was given back, because one with the same idempotency
	 * key is being handled.
	 */
	public static final String POSTPONED = "postponed";

	/**
	 * The outcome of a message that was not handled, because the filter of the listener
	 * did not accept it.
	 */
	public static final String FILTERED = "filtered";

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
	 * The outcome of a handling that does not count, because another instance may have
	 * the message.
	 */
	public static final String LOST = "lost";

	private final String queue;

	private final String id;

	private final String listenerId;

	private final List<Map<String, Object>> senders;

	private final List<String> earlierAttempts;

	private volatile @Nullable String outcome;

	private volatile @Nullable String trace;

	/**
	 * Creates a context.
	 * @param queue the queue
	 * @param id the id of the message, or of the first one of a batch
	 * @param listenerId the id of the listener
	 * @param headers the headers of each message
	 * @param earlierAttempts the traces of the first attempts to handle them, as far as
	 * there were any, see {@link #getTrace()}
	 */
	public QueueProcessContext(String queue, String id, String listenerId, List<Map<String, Object>> headers,
			List<String> earlierAttempts) {
		super((carrier, name) -> {
			Object value = carrier.get(name);
			return (value != null) ? value.toString() : null;
		}, Kind.CONSUMER);
		this.queue = queue;
		this.id = id;
		this.listenerId = listenerId;
		this.senders = (headers.size() > 1) ? headers : List.of();
		this.earlierAttempts = earlierAttempts;
		setCarrier((headers.size() == 1) ? headers.get(0) : Map.of());
		setRemoteServiceName("redis");
	}

	/**
	 * Returns the queue.
	 * @return its name
	 */
	public String getQueue() {
		return this.queue;
	}

	/**
	 * Returns the id of the message.
	 * @return the id
	 */
	public String getId() {
		return this.id;
	}

	/**
	 * Returns the id of the listener.
	 * @return the id
	 */
	public String getListenerId() {
		return this.listenerId;
	}

	/**
	 * Returns the headers of the messages of a batch, which have their senders' traces.
	 * @return the headers of each, or nothing if only one message is handled
	 */
	public List<Map<String, Object>> getSenders() {
		return this.senders;
	}

	/**
	 * Returns the traces of the first attempts of those messages that are retried.
	 * @return what {@link #getTrace()} was then
	 */
	public List<String> getEarlierAttempts() {
		return this.earlierAttempts;
	}

	/**
	 * Returns the trace that a later attempt can link to.
	 * @return the position in the trace, as W3C's {@code traceparent} writes it, or
	 * {@code null} if nothing is traced
	 */
	public @Nullable String getTrace() {
		return this.trace;
	}

	/**
	 * Sets the trace that a later attempt can link to.
	 * @param trace the position in the trace, as W3C's {@code traceparent} writes it
	 */
	public void setTrace(String trace) {
		this.trace = trace;
	}

	/**
	 * Returns how the handling ended.
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
