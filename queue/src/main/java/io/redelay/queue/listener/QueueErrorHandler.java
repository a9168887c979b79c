package io.redelay.queue.listener;

import io.redelay.delivery.GiveBackMessage;
import io.redelay.queue.Acknowledgment;
import io.redelay.queue.QueueHeaders;
import io.redelay.queue.QueueListener;
import io.redelay.queue.RejectMessageException;
import io.redelay.queue.RetryMessageException;
import io.redelay.queue.batch.BatchFailedException;

import org.springframework.messaging.Message;

/**
 * Decides what to do when the handling of a message failed. If it returns, the failure is
 * dealt with and the message is done. If it throws, that exception replaces the failure,
 * and decides whether and when the message is delivered again. So rethrowing the failure
 * changes nothing, and a {@link RetryMessageException} or a
 * {@link RejectMessageException} decides otherwise.
 * <p>
 * A listener names its error handler in {@link QueueListener#errorHandler()}; if it names
 * none, the bean with the name {@value #DEFAULT_BEAN_NAME} is used, if there is one.
 * <p>
 * Called for each message of a batch that failed alone, or was named in a
 * {@link BatchFailedException}. Not called for messages that cannot be read, do not fit
 * the listener's method, have expired or crashed. Also not called for a message that took
 * longer than its {@code maxHandlingTime}, that an exception gives back
 * ({@link GiveBackMessage}), or that the handler settled by its {@link Acknowledgment}.
 * <p>
 * Called on a thread that may block: the handler's, or another one of that kind if the
 * handler returned a future. Must be safe for use by many threads.
 *
 * @since 0.1.0
 */
@FunctionalInterface
public interface QueueErrorHandler {

	/**
	 * The name of the bean that is used if a listener names none.
	 */
	String DEFAULT_BEAN_NAME = "queueErrorHandler";

	/**
	 * Deals with a failure.
	 * @param message the message, with the headers of {@link QueueHeaders}; its payload
	 * is what the listener's method takes, converted anew, or a {@code byte[]} if the
	 * method takes none
	 * @param failure what the handler threw, or what its future failed with
	 * @throws Throwable if the message is not dealt with; the failure is added to it as
	 * suppressed, unless it is among its causes
	 */
	void handle(Message<?> message, Throwable failure) throws Throwable;

}
