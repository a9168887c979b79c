package io.redelay.queue.work;

import java.time.Instant;

import io.redelay.queue.OutboundMessage;
import io.redelay.queue.PayloadConversionException;
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
	 * Returns the token that signals that the handling is to end.
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
	 * Creates the exception that a handler throws to end before its work is done, as when
	 * its token has turned with {@link CancellationReason#SHUTDOWN}: the message goes
	 * back with no attempt counted. At a shutdown another instance gets it at once,
	 * otherwise it is delivered again after a second.
	 * @return the exception to throw
	 */
	default MessageStoppedException stopped() {
		return new MessageStoppedException();
	}

	/**
	 * Reports how far the handling has come, for views of the message and for the events
	 * of messages. It is written to Redis a little later, together with the reports of
	 * other handlers: this method does not wait. The last call counts.
	 * <p>
	 * Once the message is settled or lost, it only logs a line in the log of the
	 * application.
	 * @param fraction how much of the work is done, from 0 to 1
	 * @throws IllegalArgumentException if the fraction is not from 0 to 1
	 */
	void progress(double fraction);

	/**
	 * Reports how far the handling has come, as {@link #progress(double)} does.
	 * @param fraction how much of the work is done, from 0 to 1
	 * @param text what to say of it, or {@code null}: one line, of which 1,000 characters
	 * are kept
	 * @throws IllegalArgumentException if the fraction is not from 0 to 1
	 */
	void progress(double fraction, @Nullable String text);

	/**
	 * Writes a line into the log that stays with the message: of all attempts, the last
	 * 100 lines by default. It is written to Redis a little later: this method does not
	 * wait.
	 * <p>
	 * Once the message is settled or lost, it only logs a line in the log of the
	 * application.
	 * @param line the line, of which 1,000 characters are kept
	 */
	void log(String line);

	/**
	 * Returns the checkpoint of the message. A method can take it as a parameter instead,
	 * also of a type with generics.
	 * @param <T> the type of the state
	 * @param type the type of the state
	 * @return the checkpoint
	 * @throws PayloadConversionException if the state that an earlier delivery saved does
	 * not fit the type; if the handler rethrows this, its message counts as one that
	 * cannot be converted
	 * @throws IllegalStateException if the message was acknowledged before its handling
	 */
	<T> Checkpoint<T> checkpoint(Class<T> type);

	/**
	 * Returns the state that the runs of a recurring message pass on, if the message is a
	 * tick of it. A method can take it as a parameter instead, also of a type with
	 * generics.
	 * @param <T> the type of the state
	 * @param type the type of the state
	 * @return the state
	 * @throws PayloadConversionException if the message is no tick of a recurring
	 * message, or if what an earlier run saved does not fit the type; if the handler
	 * rethrows this, its message counts as one that cannot be converted
	 */
	<T> RecurringState<T> recurringState(Class<T> type);

}
