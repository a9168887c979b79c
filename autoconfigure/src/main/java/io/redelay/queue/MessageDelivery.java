package io.redelay.queue;

import java.time.Instant;

import org.jspecify.annotations.Nullable;

/**
 * The delivery that a handler of single messages works on. A listener method can take it
 * as a parameter.
 * <p>
 * Safe for use by many threads, until the handling has ended.
 *
 * @since 0.1.0
 */
public interface MessageDelivery {

	/**
	 * Returns the facts of this delivery.
	 * @return queue, id, attempt and times
	 */
	DeliveryInfo info();

	/**
	 * Returns what tells that the handling is to end.
	 * @return the token, the same one at each call
	 */
	CancellationToken cancellation();

	/**
	 * Returns until when the message is handled; see {@link OutboundMessage#deadline}.
	 * The token turns then, and the message ends.
	 * @return when, by the clock of Redis, or {@code null} if it has no deadline
	 */
	@Nullable Instant deadline();

	/**
	 * Creates what a handler throws to end before its work is done, as when its token has
	 * turned with {@link CancellationReason#SHUTDOWN}: the message goes back with no
	 * attempt counted. At a shutdown another instance has it at once, otherwise it comes
	 * again after a second.
	 * @return the exception to throw
	 */
	default MessageStoppedException stopped() {
		return new MessageStoppedException();
	}

}
