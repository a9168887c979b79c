package io.redelay.queue.measure;

import org.jspecify.annotations.Nullable;

/**
 * The handling of one message that has ended.
 *
 * @param queue the partition
 * @param listener the id of the listener
 * @param payloadType the logical name of the payload, or {@code null} if its sender gave
 * none
 * @param outcome how it ended, one of the values that {@code QueueProcessContext} names,
 * as {@code handled} or {@code failed}
 * @param waitMillis how long after it was due the handler was called, by the clock of
 * Redis; {@link #UNKNOWN} from the second attempt on, whose due time is not kept
 * @param handlingNanos how long the handler took; of a batch, the share of the message
 * @since 0.1.0
 */
public record Handling(String queue, String listener, @Nullable String payloadType, String outcome, long waitMillis,
		long handlingNanos) {

	/**
	 * The time is not known.
	 */
	public static final long UNKNOWN = -1;

	/**
	 * Returns whether it is known how long the message waited.
	 * @return {@code true} if so
	 */
	public boolean hasWait() {
		return this.waitMillis != UNKNOWN;
	}

}
