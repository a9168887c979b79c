package io.redelay.queue;

import java.util.Map;

/**
 * Thrown by a handler of batches that knows which messages failed: those are retried, the
 * others are done. After any other exception of a batch each of its messages is handled
 * alone.
 *
 * @since 0.1.0
 */
public class BatchFailedException extends QueueException {

	private final transient Map<Integer, Throwable> failures;

	/**
	 * Creates the exception.
	 * @param failures why messages failed, by their position in the batch from 0
	 */
	public BatchFailedException(Map<Integer, ? extends Throwable> failures) {
		super(failures.size() + " message(s) of a batch failed", failures.values().stream().findFirst().orElse(null));
		this.failures = Map.copyOf(failures);
	}

	/**
	 * Why messages failed, by their position in the batch from 0.
	 * @return the failures
	 */
	public Map<Integer, Throwable> getFailures() {
		return this.failures;
	}

}
