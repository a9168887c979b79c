package io.redelay.queue.actuate;

import org.jspecify.annotations.Nullable;

import org.springframework.boot.actuate.endpoint.Access;
import org.springframework.boot.actuate.endpoint.SecurityContext;
import org.springframework.boot.actuate.endpoint.annotation.Endpoint;
import org.springframework.boot.actuate.endpoint.annotation.ReadOperation;
import org.springframework.boot.actuate.endpoint.annotation.Selector;
import org.springframework.boot.actuate.endpoint.web.WebEndpointResponse;

/**
 * The endpoint {@code queues}, as it is there over JMX: the queues, and one of them. Over
 * HTTP there is more, see {@link QueuesWebExtension}.
 *
 * @since 0.1.0
 */
@Endpoint(id = "queues", defaultAccess = Access.READ_ONLY)
public final class QueuesEndpoint {

	private final QueueReads reads;

	/**
	 * Creates the endpoint.
	 * @param reads reads the queues
	 */
	public QueuesEndpoint(QueueReads reads) {
		this.reads = reads;
	}

	/**
	 * Shows the first queues.
	 * @return the queues
	 */
	@ReadOperation
	public @Nullable Object queues() {
		return body(Responses.read(() -> this.reads.queues(SecurityContext.NONE, null, "200", null, null, null)));
	}

	/**
	 * Shows a queue.
	 * @param queue its name
	 * @return the queue, or an error
	 */
	@ReadOperation
	public @Nullable Object queue(@Selector String queue) {
		return body(Responses.read(() -> this.reads.queue(SecurityContext.NONE, queue)));
	}

	private static @Nullable Object body(WebEndpointResponse<Object> response) {
		return response.getBody();
	}

}
