package io.redelay.queue.work;

import java.time.Duration;

import io.redelay.queue.QueueException;
import io.redelay.queue.QueueListener;
import io.redelay.queue.limits.DueTime;
import org.jspecify.annotations.Nullable;

/**
 * Thrown by a handler that ends before its work is done, most often because its
 * {@link CancellationToken} has turned with {@link CancellationReason#SHUTDOWN}: the
 * message goes back with no attempt counted, and is delivered again. This holds
 * regardless of the attempts and {@link QueueListener#noRetryFor()}, and no
 * {@link io.redelay.queue.listener.QueueErrorHandler} is asked. The handler of a batch
 * gives back all messages of the batch that are not settled yet.
 * <p>
 * At a shutdown the message goes back at once and to its place in the queue, so that
 * another instance has it next. Otherwise it is delivered again after a delay, a second
 * unless the exception names another one: a handler that stopped at once each time would
 * keep its threads busy for nothing.
 * <p>
 * {@link MessageDelivery#stopped()} creates one. {@link io.redelay.queue.listener.Paused}
 * says the same as the result of a handler.
 *
 * @since 0.1.0
 */
public class MessageStoppedException extends QueueException {

	private final @Nullable Duration delay;

	/**
	 * Creates an exception that leaves open when the message is delivered again.
	 */
	public MessageStoppedException() {
		this(null, null);
	}

	/**
	 * Creates an exception.
	 * @param delay how long until the message is delivered again, 0 to 3650 days; at a
	 * shutdown too; or {@code null} to leave that open
	 * @param cause why the handler stopped, or {@code null}
	 * @throws IllegalArgumentException if it is another delay: the handling then fails
	 * with this exception
	 */
	public MessageStoppedException(@Nullable Duration delay, @Nullable Throwable cause) {
		super("The handler has stopped before its end" + ((delay != null) ? ", and goes on after " + delay : ""),
				cause);
		if (delay != null && !DueTime.isPossible(delay)) {
			throw new IllegalArgumentException("'delay' must be 0 to 3650 days: " + delay, cause);
		}
		this.delay = delay;
	}

	/**
	 * Returns when the message is delivered again.
	 * @return how long until then, or {@code null} if the handler left it open
	 */
	public @Nullable Duration getDelay() {
		return this.delay;
	}

}
