package io.redelay.queue.failure;

/**
 * Stands for the failure of a message that was negatively acknowledged without an
 * exception.
 */
final class NackException extends RuntimeException {

	NackException(String message) {
		super(message, null, false, false);
	}

}
