package io.redelay.queue;

import java.time.Duration;

/**
 * A handler took longer than its {@code maxHandlingTime}.
 *
 * @since 0.1.0
 */
public class HandlingTimeoutException extends RuntimeException {

	public HandlingTimeoutException(Duration limit) {
		super("The handling was not complete after " + limit + ", which is its maxHandlingTime");
	}

}
