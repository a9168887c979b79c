package io.redelay.queue.script;

import java.time.Instant;
import java.util.List;

import io.redelay.queue.request.LaneReply;
import io.redelay.queue.request.LaneStatus;

/**
 * The reply to commands on bundles.
 *
 * @param status whether the request was carried out
 * @param time the store's clock when it was
 * @param follows whether the outbox has notes as a result
 * @param answers the answer to each command, in the same order
 * @since 0.1.0
 */
public record BundleReply(LaneStatus status, Instant time, boolean follows,
		List<String> answers) implements LaneReply<BundleReply> {

	/**
	 * The answer if there is no such bundle.
	 */
	public static final String UNKNOWN = "UNKNOWN";

	/**
	 * The answer if the last message of the bundle has ended, and its callback was added.
	 */
	public static final String ENDED = "ENDED";

	/**
	 * The answer to {@link BundleCommand#open} if there was one of the id.
	 */
	public static final String THERE = "THERE";

	@Override
	public BundleReply part(int first, int size) {
		return new BundleReply(this.status, this.time, this.follows, this.answers.subList(first, first + size));
	}

}
