package io.redelay.queue.admin;

import java.util.Optional;

import io.redelay.queue.QueueException;
import org.jspecify.annotations.Nullable;

/**
 * Shows what handlers do now in all instances, and interrupts one. It is returned by
 * {@link QueueAdmin#handlers()}; what the description of {@link QueueAdmin} says of
 * exceptions holds here.
 * <p>
 * Each method asks the instances themselves, through Redis, where nothing is stored. It
 * waits up to a second and a half to list handlers, and up to two and a half for one of
 * them. A handler that has acknowledged its message and works on is not known any more;
 * nor are programs that receive messages.
 * <p>
 * Safe for use by many threads.
 *
 * @since 0.1.0
 */
public interface HandlerAdmin {

	/**
	 * Lists the handlers that work on messages of any queue.
	 * @return the handlers
	 */
	default RunningHandlers running() {
		return running(null, true);
	}

	/**
	 * Lists the handlers that work on messages of a queue.
	 * @param queue the queue
	 * @return the handlers
	 */
	default RunningHandlers running(String queue) {
		return running(queue, true);
	}

	/**
	 * Lists handlers.
	 * @param queue the queue, or {@code null} for all queues
	 * @param lines whether their threads and the lines of their code are asked for
	 * @return the handlers
	 */
	RunningHandlers running(@Nullable String queue, boolean lines);

	/**
	 * Finds where the code of a handler is.
	 * @param queue the queue
	 * @param id the id or uid of its message
	 * @param claim the number of the claim, or {@code null} for that of the handler that
	 * began last
	 * @return the stack, or nothing if no handler has the message in hand
	 * @throws QueueException if it is unknown, because an instance did not answer
	 */
	Optional<HandlerStack> stack(String queue, String id, @Nullable Long claim);

	/**
	 * Interrupts the thread that handles a message, and no later handling on it, or
	 * cancels the future or publisher that the handler returned. If the handler then
	 * fails, that is a failed attempt like any other. A handler that goes on is left
	 * alone. All messages of a batch are handled by one call.
	 * @param queue the queue
	 * @param id the id or uid of the message
	 * @param claim the number of the claim that is to be interrupted, or {@code null} for
	 * that of the handler that began last. Instances count alike, so if one has lost its
	 * lease and another one handles the message as well, a number may mean both
	 * @return whether a thread was interrupted, or a result cancelled
	 * @throws QueueException if that is unknown, because an instance did not answer
	 * @see MessageAdmin#cancel(String, String)
	 */
	CommandOutcome interrupt(String queue, String id, @Nullable Long claim);

}
