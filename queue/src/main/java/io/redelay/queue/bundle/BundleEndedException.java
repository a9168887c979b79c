package io.redelay.queue.bundle;

import io.redelay.queue.MessageSendException;

/**
 * A bundle of messages has ended, or never existed, so nothing can be added to it.
 *
 * @since 0.1.0
 */
public class BundleEndedException extends MessageSendException {

	/**
	 * Creates an exception.
	 * @param message what was tried, with the queue and the id of the bundle
	 */
	public BundleEndedException(String message) {
		super(message, null);
	}

}
