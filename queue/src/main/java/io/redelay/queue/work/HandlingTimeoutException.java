package io.redelay.queue.work;

import java.time.Duration;

/**
 * A handler took longer than its {@code maxHandlingTime}, or than the deadline of its
 * message allows: see {@link DeadlinePassedException}.
 *
 * @since 0.1.0
 */
public class HandlingTimeoutException extends RuntimeException {

	public HandlingTimeoutException(Duration limit) {
		this("The handling was not complete after " + limit + ", which is its maxHandlingTime");
	}

	HandlingTimeoutException(String message) {
		super(message);
	}

}
