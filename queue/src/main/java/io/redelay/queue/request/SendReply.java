package io.redelay.queue.request;

import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

import io.redelay.queue.SendOutcome;
import org.jspecify.annotations.Nullable;

/**
 * The reply to a request to add messages.
 *
 * @param status whether the request was carried out
 * @param time the store's clock when it was
 * @param fates the fates of the messages that were not simply added, by position in the
 * request
 * @param dropped the uids of the messages that were dropped to make room
 * @param copies the copies copies of the messages there were, if they were waited for
 * @param overdue the message for which all are refused, if its deadline is over when it
 * is due
 * @param fullLine the message for which all are refused, if the line of its ordering key
 * is as long as it may be
 * @since 0.1.0
 */
public record SendReply(LaneStatus status, Instant time, Map<Integer, Fate> fates, List<String> dropped,
		@Nullable Copies copies, @Nullable Overdue overdue,
		@Nullable FullLine fullLine) implements LaneReply<SendReply> {

	/**
	 * A reply to a request of which no copies were waited for.
	 */
	public SendReply(LaneStatus status, Instant time, Map<Integer, Fate> fates, List<String> dropped) {
		this(status, time, fates, dropped, null, null, null);
	}

	/**
	 * Returns this reply with the copies that there were of the messages.
	 * @param copies the copies
	 * @return the reply with it
	 */
	public SendReply withCopies(Copies copies) {
		return new SendReply(this.status, this.time, this.fates, this.dropped, copies, this.overdue, this.fullLine);
	}

	@Override
	public boolean isTooMany() {
		return this.status == LaneStatus.FULL || this.status == LaneStatus.OVERDUE;
	}

	@Override
	public SendReply part(int first, int size) {
		if (this.fates.isEmpty()) {
			return this;
		}
		Map<Integer, Fate> part = new HashMap<>();
		this.fates.forEach((position, fate) -> {
			if (position >= first && position < first + size) {
				part.put(position - first, fate);
			}
		});
		return new SendReply(this.status, this.time, part, this.dropped, this.copies, this.overdue, this.fullLine);
	}

	/**
	 * The line of an ordering key that a message would make too long.
	 *
	 * @param orderingKey the key
	 * @param length how many messages the line has, including earlier ones of the request
	 */
	public record FullLine(String orderingKey, long length) {

		/**
		 * Returns the text about the line.
		 * @param queue the queue
		 * @return why a message is refused, and what to do
		 */
		public String why(String queue) {
			return "the line of the ordering key '" + this.orderingKey + "' in the queue '" + queue + "' has "
					+ this.length + " message(s), and no more are allowed: by QueueAdmin.limits().change, or else by"
					+ " 'redelay.queue.queues[" + queue + "].ordering-key-max-length'";
		}

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
		 * Returns the text about the message.
		 * @return why it is refused, and what to do
		 */
		public String why() {
			return "its deadline is " + this.deadline + ", and it is due " + this.dueAt
					+ ", by the clock of Redis; give it a later deadline, or let it be due earlier";
		}

	}

	/**
	 * The fate of a message that was not simply added.
	 *
	 * @param outcome the outcome
	 * @param other the id, or the uid if it has none, of the message that was first, that
	 * it replaced, or that has its payload
	 * @param dueAt when the message that has its payload is due, or the time of the
	 * request if it is due already
	 */
	public record Fate(SendOutcome outcome, String other, Instant dueAt) {

	}

}
