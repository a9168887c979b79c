package io.redelay.queue.observation;

import java.util.Map;

import io.micrometer.observation.transport.Kind;
import io.micrometer.observation.transport.SenderContext;

/**
 * The context of the observation of a message that is sent; a tracer adds its headers to
 * the message's.
 *
 * @since 0.1.0
 */
public class QueueSendContext extends SenderContext<Map<String, Object>> {

	private final String queue;

	private final String id;

	/**
	 * Creates a context.
	 * @param queue the queue
	 * @param id the id of the message
	 * @param headers the headers, to be added to
	 */
	public QueueSendContext(String queue, String id, Map<String, Object> headers) {
		super((carrier, name, value) -> {
			if (carrier != null) {
				carrier.put(name, value);
			}
		}, Kind.PRODUCER);
		this.queue = queue;
		this.id = id;
		setCarrier(headers);
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

}
