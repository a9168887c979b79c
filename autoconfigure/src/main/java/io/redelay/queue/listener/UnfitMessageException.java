package io.redelay.queue.listener;

/**
 * A message does not fit its handler, and never will: its payload cannot be converted, or
 * is not valid.
 *
 * @since 0.1.0
 */
public class UnfitMessageException extends RuntimeException {

	public UnfitMessageException(Throwable cause) {
		super(cause.getMessage(), cause);
	}

}
