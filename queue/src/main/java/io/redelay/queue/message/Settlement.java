package io.redelay.queue.message;

import java.time.Duration;

import org.jspecify.annotations.Nullable;

/**
 * The end of the holding of a message.
 *
 * @param action the action on it
 * @param uid the message
 * @param claim the number of the request that claimed it, or {@link #LATE}
 * @param delay how long until it can be claimed again, for {@link Action#RETRY} and
 * {@link Action#GIVE_BACK}; how long its queue or its key waits, for {@link Action#WAIT}
 * @param cause for {@link Action#BURY} the cause as JSON; for {@link Action#RETRY} the
 * data of the attempt, as JSON in one line, or empty. For {@link Action#WAIT} {@code key}
 * or empty; for {@link Action#ACK} why the message was not handled, or empty
 * @param completion its completion, for {@link Action#DONE} and {@link Action#CANCEL}
 * @param trace the trace of the attempt, in one word, for {@link Action#RETRY}, which is
 * kept if none is kept yet; or {@code null}
 * @since 0.1.0
 */
public record Settlement(Action action, String uid, long claim, Duration delay, String cause,
		@Nullable Completion completion, @Nullable String trace) {

	/**
	 * In place of the number of a claim: the lane that held the message is gone, so only
	 * an acknowledgement counts, and only if no lane holds the message.
	 */
	public static final long LATE = 0;

	/**
	 * The cause of an acknowledgement, which is not sent to the store.
	 */
	private static final String EXPIRED = "expired";

	/**
	 * How many bytes a settlement takes in the memory of this program besides its texts,
	 * roughly.
	 */
	private static final int SIZE = 150;

	/**
	 * The action on the message.
	 */
	public enum Action {

		/**
		 * It is done, and is forgotten.
		 */
		ACK("ack"),

		/**
		 * It is done, and is forgotten, together with its completion; if this is refused,
		 * nothing happens.
		 */
		DONE("done"),

		/**
		 * Its handling failed, which is counted, and it can be claimed again after the
		 * delay.
		 */
		RETRY("retry"),

		/**
		 * It was not handled; it can be claimed again after the delay, and nothing is
		 * counted.
		 */
		GIVE_BACK("back"),

		/**
		 * It was not handled, and nothing of its queue is claimed for the delay, or
		 * nothing of its fairness key; nothing is counted.
		 */
		WAIT("wait"),

		/**
		 * It goes to the dead messages.
		 */
		BURY("bury"),

		/**
		 * It was cancelled and not handled, and is forgotten, or kept among the completed
		 * messages.
		 */
		CANCEL("cancel");

		private final String verb;

		Action(String verb) {
			this.verb = verb;
		}

		public String verb() {
			return this.verb;
		}

	}

	/**
	 * Returns the settlement of a message that is done.
	 * @param uid the message
	 * @param claim the claim it is held under
	 * @return the settlement
	 */
	public static Settlement ack(String uid, long claim) {
		return new Settlement(Action.ACK, uid, claim, Duration.ZERO, "", null, null);
	}

	/**
	 * Returns the settlement of a message that was not handled, as its time to live was
	 * over, and is forgotten.
	 * @param uid the message
	 * @param claim the claim it is held under
	 * @return the settlement
	 */
	public static Settlement expired(String uid, long claim) {
		return new Settlement(Action.ACK, uid, claim, Duration.ZERO, EXPIRED, null, null);
	}

	/**
	 * Returns whether the message is forgotten because its time to live was over.
	 * @return whether it is
	 */
	public boolean isExpiry() {
		return isAcknowledgment() && this.cause.equals(EXPIRED);
	}

	/**
	 * Returns the acknowledgement of a message with a completion.
	 * @param uid the message
	 * @param claim the claim it is held under
	 * @param completion the completion, carried out if this counts
	 * @return the settlement
	 */
	public static Settlement done(String uid, long claim, Completion completion) {
		return new Settlement(Action.DONE, uid, claim, Duration.ZERO, "", completion, null);
	}

	/**
	 * Returns whether the message is done by this.
	 * @return whether it is
	 */
	public boolean isAcknowledgment() {
		return this.action == Action.ACK || this.action == Action.DONE;
	}

	/**
	 * Returns whether this removes the message, unless it is kept as completed.
	 * @return whether it is
	 */
	public boolean isEnd() {
		return isAcknowledgment() || this.action == Action.CANCEL;
	}

	/**
	 * Returns this acknowledgement for the case that the lane of the message is gone.
	 * @return the settlement
	 */
	public Settlement late() {
		return new Settlement(this.action, this.uid, LATE, this.delay, this.cause, this.completion, this.trace);
	}

	/**
	 * Returns this settlement for a repetition after the store went back in time.
	 * @return the settlement
	 */
	public Settlement repeated() {
		return (this.completion != null) ? new Settlement(this.action, this.uid, this.claim, this.delay, this.cause,
				this.completion.repeated(), this.trace) : this;
	}

	/**
	 * Returns this settlement with the trace of the attempt.
	 * @param attempt the trace, in one word
	 * @return the settlement
	 */
	public Settlement withTrace(String attempt) {
		return new Settlement(this.action, this.uid, this.claim, this.delay, this.cause, this.completion, attempt);
	}

	/**
	 * Notifies the completion, if there is one, whether this settlement counted.
	 * @param counted whether this counted
	 */
	public void complete(boolean counted) {
		if (this.completion != null) {
			this.completion.complete(counted);
		}
	}

	/**
	 * Returns how many bytes it takes in the memory of this program, roughly.
	 * @return the bytes
	 */
	public long bytes() {
		return SIZE + this.cause.length() + ((this.completion != null) ? this.completion.bytes() : 0);
	}

	/**
	 * Returns the settlement of a message whose handling failed.
	 * @param uid the message
	 * @param claim the claim it is held under
	 * @param delay how long until the next try
	 * @return the settlement
	 */
	public static Settlement retry(String uid, long claim, Duration delay) {
		return retry(uid, claim, delay, "");
	}

	/**
	 * Returns the settlement of a message whose handling failed.
	 * @param uid the message
	 * @param claim the claim it is held under
	 * @param delay how long until the next try
	 * @param attempt the data of this attempt, as JSON in one line
	 * @return the settlement
	 */
	public static Settlement retry(String uid, long claim, Duration delay, String attempt) {
		return new Settlement(Action.RETRY, uid, claim, delay, attempt, null, null);
	}

	/**
	 * Returns the settlement of a message that was not handled.
	 * @param uid the message
	 * @param claim the claim it is held under
	 * @param delay how long until it can be claimed again
	 * @return the settlement
	 */
	public static Settlement giveBack(String uid, long claim, Duration delay) {
		return new Settlement(Action.GIVE_BACK, uid, claim, delay, "", null, null);
	}

	/**
	 * Returns the settlement of a message that was not handled and must wait together
	 * with others.
	 * @param uid the message
	 * @param claim the claim it is held under
	 * @param delay how long nothing is claimed
	 * @param ofKey whether that is for its fairness key only; a message without one waits
	 * alone
	 * @return the settlement
	 */
	public static Settlement waiting(String uid, long claim, Duration delay, boolean ofKey) {
		return new Settlement(Action.WAIT, uid, claim, delay, ofKey ? "key" : "", null, null);
	}

	/**
	 * Returns the settlement of a message that was cancelled while it was held, and whose
	 * handling has not succeeded.
	 * @param uid the message
	 * @param claim the claim it is held under
	 * @param completion its completion, or {@code null}
	 * @return the settlement
	 */
	public static Settlement cancel(String uid, long claim, @Nullable Completion completion) {
		return new Settlement(Action.CANCEL, uid, claim, Duration.ZERO, "", completion, null);
	}

	/**
	 * Returns the settlement of a message that is dead.
	 * @param uid the message
	 * @param claim the claim it is held under
	 * @param cause why, as JSON
	 * @return the settlement
	 */
	public static Settlement bury(String uid, long claim, String cause) {
		return new Settlement(Action.BURY, uid, claim, Duration.ZERO, cause, null, null);
	}

}
