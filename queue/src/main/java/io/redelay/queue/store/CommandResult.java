package io.redelay.queue.store;

import java.time.Instant;

import io.redelay.queue.MessageState;
import org.jspecify.annotations.Nullable;

/**
 * What became of a command on one message.
 *
 * @param state the state in which the message was found
 * @param outcome what was done
 * @param due when the message is due, if it waits; its deadline, if that would be over
 * then
 * @param target the queue it is being handed on to, if it is
 * @since 0.1.0
 */
public record CommandResult(MessageState state, Outcome outcome, @Nullable Instant due, @Nullable String target) {

	/**
	 * What was done.
	 */
	public enum Outcome {

		/**
		 * What was asked for.
		 */
		DONE,

		/**
		 * Nothing, for the message is in no state for it.
		 */
		KEPT,

		/**
		 * Nothing, for another message has its id now.
		 */
		DUPLICATE,

		/**
		 * Nothing, for it is being handed on to another queue.
		 */
		FORWARDING,

		/**
		 * Nothing, for the message would be due when its deadline is over.
		 */
		OVERDUE,

		/**
		 * Nothing, for the message is not any more as it was when its change was made up:
		 * it is to be looked at again.
		 */
		CHANGED,

		/**
		 * Nothing, for the line of its ordering key is as long as it may be.
		 */
		FULL,

		/**
		 * Nothing yet, for the request has moved as many bytes as it may: it is to be
		 * asked for again, as are all behind it.
		 */
		LATER

	}

}
