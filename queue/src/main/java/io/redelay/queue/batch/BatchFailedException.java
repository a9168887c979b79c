package io.redelay.queue.batch;

import java.util.Map;

import io.redelay.queue.AckMode;
import io.redelay.queue.QueueException;

/**
 * Thrown by a handler of batches that knows which messages failed: those are retried, and
 * <em>all others are acknowledged</em>, regardless of the {@link AckMode}, unless they
 * were settled before. After any other exception of a batch each of its messages that is
 * not settled is handled alone.
 *
 * @since 0.1.0
 * @see BatchResult a result that says the same, for which a transaction is committed
 */
public class BatchFailedException extends QueueException {

	private final transient BatchResult result;

	/**
	 * Creates the exception.
	 * @param failures why messages failed, by their position in the batch from 0
	 */
	public BatchFailedException(Map<Integer, ? extends Throwable> failures) {
		this(result(failures));
	}

	/**
	 * Creates the exception for one message that failed.
	 * @param position its position in the batch, from 0
	 * @param failure why
	 */
	public BatchFailedException(int position, Throwable failure) {
		this(BatchResult.create().failedAt(position, failure));
	}

	/**
	 * Creates the exception.
	 * @param result names the messages that failed
	 */
	public BatchFailedException(BatchResult result) {
		super(result.toString(), result.first());
		this.result = result;
	}

	/**
	 * Creates the exception for one message that failed.
	 * @param element the element of the batch, a payload or a message: this very object,
	 * or, if it is not in the list, the one that equals it
	 * @param failure why
	 * @return the exception
	 */
	public static BatchFailedException of(Object element, Throwable failure) {
		return new BatchFailedException(BatchResult.create().failed(element, failure));
	}

	private static BatchResult result(Map<Integer, ? extends Throwable> failures) {
		BatchResult result = BatchResult.create();
		failures.forEach(result::failedAt);
		return result;
	}

	/**
	 * Why messages failed, by their position in the batch from 0. Those that are named by
	 * their elements are not among them; {@link #getResult()} has them too.
	 * @return the failures
	 */
	public Map<Integer, Throwable> getFailures() {
		return this.result.failuresByPosition();
	}

	/**
	 * Names the messages that failed.
	 * @return the result
	 */
	public BatchResult getResult() {
		return this.result;
	}

}
