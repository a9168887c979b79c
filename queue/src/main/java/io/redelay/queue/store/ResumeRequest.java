package io.redelay.queue.store;

import java.time.Duration;
import java.util.List;

import org.springframework.util.Assert;

/**
 * A request that a new lane takes over what an earlier lane of the same consumer holds,
 * or held before Redis went back in time.
 *
 * @param lane the new lane
 * @param seq the number of the request in that lane
 * @param lease how long the new lane lives from now on
 * @param former the earlier lane
 * @param wentBack whether Redis went back in time; otherwise the earlier lane's lease ran
 * out, and only the messages that no other lane was given since are taken back
 * @param last whether this is the last request of the resumption; the messages that the
 * earlier lane still holds are given back then
 * @param holdings the messages to take over, at most {@value #MAX_HOLDINGS}
 * @since 0.1.0
 */
public record ResumeRequest(String lane, long seq, Duration lease, String former, boolean wentBack, boolean last,
		List<Holding> holdings) {

	/**
	 * How many messages one request can take over.
	 */
	public static final int MAX_HOLDINGS = 500;

	public ResumeRequest {
		Assert.isTrue(holdings.size() <= MAX_HOLDINGS,
				() -> "'holdings' must be at most " + MAX_HOLDINGS + ": " + holdings.size());
	}

	/**
	 * A message that the consumer has, or has settled.
	 *
	 * @param uid the message
	 * @param claim the number of the request that claimed it
	 * @param done whether it was acknowledged
	 * @param completes whether the acknowledgement has a completion. It is then repeated
	 * even if the store does not know the message any more
	 */
	public record Holding(String uid, long claim, boolean done, boolean completes) {

		/**
		 * Creates a holding whose acknowledgement has no completion.
		 * @param uid the message
		 * @param claim the number of the request that claimed it
		 * @param done whether it was acknowledged
		 */
		public Holding(String uid, long claim, boolean done) {
			this(uid, claim, done, false);
		}

	}

}
