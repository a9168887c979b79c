package io.redelay.queue.admin.engine.access;

import io.redelay.queue.admin.CommandOutcome;
import io.redelay.queue.script.CommandReply;
import org.jspecify.annotations.Nullable;

/**
 * Describes the result of a command to a user.
 *
 * @since 0.1.0
 */
public final class CommandOutcomes {

	private CommandOutcomes() {
	}

	public static CommandOutcome of(CommandReply.Result result) {
		boolean overdue = result.outcome() == CommandReply.Result.Outcome.OVERDUE;
		return new CommandOutcome(result.state(), result.isDone(), overdue ? null : result.due(), reason(result));
	}

	/**
	 * Why nothing was done, or {@code null} if the command was carried out.
	 */
	public static @Nullable String reason(CommandReply.Result result) {
		return switch (result.outcome()) {
			case DONE -> null;
			case DUPLICATE -> "another message has its id by now";
			case OVERDUE -> "its deadline is " + result.due() + ", and it would not be due before that";
			case CHANGED -> "another request changed it meanwhile: look at it, and ask again";
			case FULL -> "the line of its ordering key is as long as it may be: redrive it when that is shorter, or"
					+ " allow a longer one with 'ordering-key-max-length' or QueueAdmin.limits().change";
			case UNREADABLE -> "it is packed, and cannot be read now: see the log";
			case LATER -> "it was not its turn yet: ask again";
			case FORWARDING -> "it is being forwarded to the queue '" + result.target() + "'";
			case KEPT -> switch (result.state()) {
				case UNKNOWN -> "there is no such message: it never was, is done, or was removed";
				case IN_FLIGHT -> "a handler has it in hand";
				case DEAD -> "it is dead: redrive it to let it live again";
				case COMPLETED -> "it is done, and only kept";
				default -> "it is " + result.state();
			};
		};
	}

}
