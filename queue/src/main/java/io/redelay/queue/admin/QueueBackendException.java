package io.redelay.queue.admin;

import io.redelay.queue.QueueException;

/**
 * Thrown if Redis failed to carry out a request, or gave no answer within
 * {@code redelay.queue.resend-timeout}, in which case it is unknown whether it carried
 * the request out.
 *
 * @since 0.1.0
 */
public class QueueBackendException extends QueueException {

	public QueueBackendException(String message, Throwable cause) {
		super(message, cause);
	}

}
