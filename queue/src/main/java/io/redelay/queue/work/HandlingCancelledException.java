package io.redelay.queue.work;

import java.util.concurrent.CancellationException;

/**
 * The handling of a message ended because its {@link CancellationToken} was cancelled.
 *
 * @since 0.1.0
 */
public class HandlingCancelledException extends CancellationException {

	private final CancellationReason reason;

	/**
	 * Creates the exception.
	 * @param reason why the token turned
	 */
	public HandlingCancelledException(CancellationReason reason) {
		super("The handling ended early: " + reason);
		this.reason = reason;
	}

	/**
	 * Returns why the token was cancelled.
	 * @return the reason
	 */
	public CancellationReason getReason() {
		return this.reason;
	}

}
