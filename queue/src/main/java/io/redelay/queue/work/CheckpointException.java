package io.redelay.queue.work;

import io.redelay.queue.QueueException;
import org.jspecify.annotations.Nullable;

/**
 * A {@link Checkpoint} was not saved. The message does not change: its handler can go on,
 * or throw this exception like any other.
 *
 * @since 0.1.0
 */
public class CheckpointException extends QueueException {

	private final Reason reason;

	/**
	 * Creates the exception.
	 * @param reason why
	 * @param message what was wrong
	 * @param cause the cause, if there is one
	 */
	public CheckpointException(Reason reason, String message, @Nullable Throwable cause) {
		super(message, cause);
		this.reason = reason;
	}

	/**
	 * Returns why the checkpoint was not saved.
	 * @return the reason
	 */
	public Reason getReason() {
		return this.reason;
	}

	/**
	 * Why a checkpoint was not saved.
	 */
	public enum Reason {

		/**
		 * The state is larger than {@code redelay.queue.work.max-checkpoint-size}.
		 */
		TOO_LARGE,

		/**
		 * The state cannot be converted.
		 */
		NOT_CONVERTIBLE,

		/**
		 * This instance does not hold the message any more: its lease ran out, the
		 * message was settled or given back, or its queue was deleted.
		 */
		LOST,

		/**
		 * Redis is full. The state is written later if there is room then.
		 */
		REDIS_FULL,

		/**
		 * Redis did not answer, so it is unknown whether the state is there. It is
		 * written again.
		 */
		UNKNOWN

	}

}
