package io.redelay.queue.request;

import java.time.Duration;
import java.util.List;

import io.redelay.queue.message.LengthLimit;
import io.redelay.queue.message.NewMessage;
import org.jspecify.annotations.Nullable;

import org.springframework.util.Assert;

/**
 * A request to add messages.
 *
 * @param lane the sender's lane
 * @param seq the number of the request in that lane
 * @param renews whether the lane's memory is renewed, so that its time counts from this
 * request and not from the opening of the lane
 * @param messages the messages to add, at least one
 * @param limit how long the queue may be, if that is limited
 * @param holdBack for how long to hold back messages that are neither there nor done,
 * whatever the limit is, if they may have been added before; else {@code null}
 * @param returned whether their send has returned: so they are added although the queue
 * is closed by now
 * @param handedOver for how long the queue remembers the uids of the messages, so that a
 * repeated message, on any lane of any instance, is ignored and counts as added;
 * {@code null} for no memory
 * @param copies which copies of the messages are waited for, or {@code null}
 * @since 0.1.0
 */
public record SendRequest(String lane, long seq, boolean renews, List<NewMessage> messages, @Nullable LengthLimit limit,
		@Nullable Duration holdBack, boolean returned, @Nullable Duration handedOver, @Nullable CopiesRequest copies) {

	/**
	 * For how long messages that are sent again are held back at least, so that consumers
	 * have time to repeat their settlements.
	 */
	public static final Duration HOLD_BACK = Duration.ofSeconds(2);

	/**
	 * For how long they are held back if the store has also forgotten the sender's lane.
	 * It may have forgotten the lanes of consumers then, for which no claim waits.
	 */
	public static final Duration HOLD_BACK_UNKNOWN = Duration.ofSeconds(10);

	/**
	 * Creates a request whose messages the queue does not remember when they are gone.
	 * @param lane the sender's lane
	 * @param seq the number of the request in that lane
	 * @param renews whether the lane's memory is to be renewed
	 * @param messages the messages to add
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
	 * Returns whether the messages may have been added before.
	 * @return whether they may
	 */
	public boolean again() {
		return this.holdBack != null;
	}

	/**
	 * Returns the same request to a queue that may have another length, of which no
	 * copies are waited for.
	 * @param other how long the queue may be, if that is limited
	 * @return the request
	 */
	public SendRequest limited(@Nullable LengthLimit other) {
		return new SendRequest(this.lane, this.seq, this.renews, this.messages, other, this.holdBack, this.returned,
				this.handedOver, null);
	}

}
