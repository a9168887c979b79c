package io.redelay.queue.script;

import java.time.Instant;

import io.redelay.queue.MessageState;
import org.jspecify.annotations.Nullable;

/**
 * The result of a command on one message.
 *
 * @param state the state in which the message was found
 * @param outcome the outcome
 * @param due when the message is due, if it waits; its deadline, if that would be over
 * then
 * @param target the queue it is being forwarded to, if it is
 * @since 0.1.0
 */
public record CommandResult(MessageState state, Outcome outcome, @Nullable Instant due, @Nullable String target) {

	/**
	 * The outcome of a command.
	 */
	public enum Outcome {

		/**
		 * The command was carried out.
		 */
		DONE,

		/**
		 * Nothing: the state of the message does not allow it.
		 */
		KEPT,

		/**
		 * Nothing: another message has its id now.
		 */
		DUPLICATE,

		/**
		 * Nothing: it is being forwarded to another queue.
		 */
		FORWARDING,

		/**
		 * Nothing: the message would be due after its deadline.
		 */
		OVERDUE,

		/**
		 * Nothing: the message has changed since the command was made, and must be looked
		 * at again.
		 */
		CHANGED,

		/**
		 * Nothing: the line of its ordering key is full.
		 */
		FULL,

		/**
		 * Nothing yet: the request has moved as many bytes as it may. The command and all
		 * behind it must be given again.
		 */
		LATER

	}

}
