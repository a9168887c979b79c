package io.redelay.queue.store;

import java.time.Instant;
import java.util.List;
import java.util.Map;

import io.redelay.queue.SendOutcome;
import org.jspecify.annotations.Nullable;

/**
 * What became of a request to add messages.
 *
 * @param status whether the request was carried out
 * @param time the store's clock when it was
 * @param fates what became of those that were not just added, by position in the request
 * @param dropped the uids of those that were dropped to make room
 * @param copies which copies of the messages there were, if they were waited for
 * @param overdue the message for which all are refused, if its deadline is over when it
 * is due
 * @since 0.1.0
 */
public record SendReply(LaneStatus status, Instant time, Map<Integer, Fate> fates, List<String> dropped,
		@Nullable Copies copies, @Nullable Overdue overdue) {

	/**
	 * A reply to a request of which no copies were waited for.
	 */
	public SendReply(LaneStatus status, Instant time, Map<Integer, Fate> fates, List<String> dropped) {
		this(status, time, fates, dropped, null, null);
	}

	/**
	 * Tells which copies of the messages there were.
	 * @param copies which
	 * @return the reply with it
	 */
	public SendReply withCopies(Copies copies) {
		return new SendReply(this.status, this.time, this.fates, this.dropped, copies, this.overdue);
	}

	/**
	 * A message whose deadline is over when it is due.
	 *
	 * @param position its position in the request
	 * @param dueAt when it is due
	 * @param deadline its deadline
	 */
	public record Overdue(int position, Instant dueAt, Instant deadline) {

		/**
		 * Returns what is said of the message.
		 * @return why it is refused, and what to do
		 */
		public String why() {
			return "its deadline is " + this.deadline + ", and it is due " + this.dueAt
					+ ", by the clock of Redis; give it a later deadline, or let it be due earlier";
		}

	}

	/**
	 * What became of a message that was not just added.
	 *
	 * @param outcome what became of it
	 * @param other the id, or the uid if it has none, of the message that came first,
	 * that it replaced, or in which its payload is
	 * @param dueAt when the message is due by which its payload is handled, or the time
	 * of the request if it is due already
	 */
	public record Fate(SendOutcome outcome, String other, Instant dueAt) {

	}

}
