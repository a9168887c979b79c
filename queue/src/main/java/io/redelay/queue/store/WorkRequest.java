package io.redelay.queue.store;

import java.time.Duration;
import java.util.List;

import org.springframework.util.Assert;

/**
 * A request to keep what handlers tell of messages that a lane holds, and to renew the
 * lane.
 *
 * @param lane the lane
 * @param lease how long it lives from now on
 * @param answered the number of its last request that was answered
 * @param limits the limits of its claims: what it holds goes on to count
 * @param entries what to keep, at most {@value #MAX_ENTRIES}
 * @since 0.1.0
 */
public record WorkRequest(String lane, Duration lease, long answered, ClaimLimits limits, List<Entry> entries) {

	/**
	 * Of how many messages one request can keep something.
	 */
	public static final int MAX_ENTRIES = 500;

	public WorkRequest {
		Assert.isTrue(entries.size() <= MAX_ENTRIES,
				() -> "'entries' must be at most " + MAX_ENTRIES + ": " + entries.size());
	}

	/**
	 * What is to be kept of a message.
	 *
	 * @param uid the message
	 * @param claim the number of the request that claimed it
	 * @param number grows with each entry of the message, so that one that comes again is
	 * not kept again
	 * @param sections what is to be kept, as {@link WorkCodec#section} makes it, one
	 * behind the other
	 */
	@SuppressWarnings("ArrayRecordComponent") // the bytes are handed on, never compared
												// or changed
	public record Entry(String uid, long claim, long number, byte[] sections) {

	}

}
