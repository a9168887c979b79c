package io.redelay.queue.admin;

import io.redelay.queue.QueueException;

/**
 * Redis did not do what it was asked for, or gave no answer for as long as
 * {@code redelay.queue.resend-timeout} says, in which case it is unknown whether it did.
 *
 * @since 0.1.0
 */
public class QueueBackendException extends QueueException {

	public QueueBackendException(String message, Throwable cause) {
		super(message, cause);
	}

}
