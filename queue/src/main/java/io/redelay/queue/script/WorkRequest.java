package io.redelay.queue.script;

import java.time.Duration;
import java.util.List;

import io.redelay.queue.message.ClaimLimits;
import io.redelay.queue.message.WorkCodec;

import org.springframework.util.Assert;

/**
 * A request to write the progress, the logs and the checkpoints of messages of a lane,
 * and to renew the lane.
 *
 * @param lane the lane
 * @param lease how long it lives from now on
 * @param answered the number of its last request that was answered
 * @param limits the limits of its claims: the messages it holds still count
 * @param entries the entries, at most {@value #MAX_ENTRIES}
 * @since 0.1.0
 */
public record WorkRequest(String lane, Duration lease, long answered, ClaimLimits limits, List<Entry> entries) {

	/**
	 * How many entries one request can have.
	 */
	public static final int MAX_ENTRIES = 500;

	public WorkRequest {
		Assert.isTrue(entries.size() <= MAX_ENTRIES,
				() -> "'entries' must be at most " + MAX_ENTRIES + ": " + entries.size());
	}

	/**
	 * The progress, log and checkpoint to keep of a message.
	 *
	 * @param uid the message
	 * @param claim the number of the request that claimed it
	 * @param number grows with each entry of the message, so that a repeated entry is not
	 * kept twice
	 * @param sections the data to keep, as {@link WorkCodec#section} makes it, one
	 * section behind the other
	 */
	@SuppressWarnings("ArrayRecordComponent") // the bytes are passed on, never compared
												// or changed
	public record Entry(String uid, long claim, long number, byte[] sections) {

	}

}
