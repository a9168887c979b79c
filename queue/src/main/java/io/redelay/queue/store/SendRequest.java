package io.redelay.queue.store;

import java.time.Duration;
import java.util.List;

import org.jspecify.annotations.Nullable;

import org.springframework.util.Assert;

/**
 * A request to add messages.
 *
 * @param lane the sender's lane
 * @param seq the number of the request in that lane
 * @param renews whether the lane's memory, which ends some time after the lane was
 * opened, is to end so long after this request
 * @param messages what to add, at least one
 * @param limit how long the queue may be, if that is limited
 * @param holdBack if the messages may have been added before, for how long to hold back
 * those that are neither there nor done, whatever the limit is; else {@code null}
 * @param returned whether their send has returned: so they are added although the queue
 * is closed by now
 * @param handedOver for how long the queue remembers the uids of the messages, so that
 * one that comes again on any lane, be it of another instance, is passed over and counts
 * as added; {@code null} if it need not
 * @param copies which copies of the messages are waited for, or {@code null}
 * @since 0.1.0
 */
public record SendRequest(String lane, long seq, boolean renews, List<NewMessage> messages, @Nullable LengthLimit limit,
		@Nullable Duration holdBack, boolean returned, @Nullable Duration handedOver, @Nullable CopiesRequest copies) {

	/**
	 * For how long messages that are sent again are held back at least, so that consumers
	 * have time to say what they had settled.
	 */
	public static final Duration HOLD_BACK = Duration.ofSeconds(2);

	/**
	 * For how long they are held back if the store has forgotten the sender's lane as
	 * well, and so may have forgotten those of consumers, for which no claim waits then.
	 */
	public static final Duration HOLD_BACK_UNKNOWN = Duration.ofSeconds(10);

	/**
	 * Creates a request whose messages the queue does not remember when they are gone.
	 * @param lane the sender's lane
	 * @param seq the number of the request in that lane
	 * @param renews whether the lane's memory is to be renewed
	 * @param messages what to add
	 * @param limit how long the queue may be, if that is limited
	 * @param again whether the messages may have been added before, and are held back for
	 * {@link #HOLD_BACK} then
	 * @param returned whether their send has returned
	 */
	public SendRequest(String lane, long seq, boolean renews, List<NewMessage> messages, @Nullable LengthLimit limit,
			boolean again, boolean returned) {
		this(lane, seq, renews, messages, limit, again ? HOLD_BACK : null, returned, null, null);
	}

	public SendRequest {
		Assert.notEmpty(messages, "'messages' must not be empty");
	}

	/**
	 * For how long messages are held back that are sent again.
	 * @param unknown whether the store has forgotten the sender's lane
	 */
	static Duration holdBack(boolean unknown) {
		return unknown ? HOLD_BACK_UNKNOWN : HOLD_BACK;
	}

	/**
	 * Whether the messages may have been added before.
	 * @return whether they may
	 */
	public boolean again() {
		return this.holdBack != null;
	}

}
