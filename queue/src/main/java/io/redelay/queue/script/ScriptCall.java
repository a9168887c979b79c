package io.redelay.queue.script;

import java.time.Instant;
import java.util.List;
import java.util.function.Predicate;

import io.redelay.queue.message.NextMessage;
import io.redelay.queue.request.SendReply;
import io.redelay.queue.request.SendRequest;
import org.jspecify.annotations.Nullable;

/**
 * A call of a script that was answered, or what it did to one queue, with its request and
 * its reply as the caller gets it.
 *
 * @since 0.1.0
 */
public sealed interface ScriptCall {

	/**
	 * Returns the queue.
	 * @return its name, as the store knows it
	 */
	String queue();

	/**
	 * Returns when the last living message of the queue has gone by this call.
	 * @return the store's clock, or {@code null} if it has not
	 */
	default @Nullable Instant drainedAt() {
		return null;
	}

	/**
	 * A request that adds messages.
	 *
	 * @param reply its reply, or {@code null} if it failed
	 * @param nanos how long it took
	 */
	record Send(String queue, SendRequest request, @Nullable SendReply reply, long nanos) implements ScriptCall {

	}

	/**
	 * A publish of which the filter of a group left messages out.
	 *
	 * @param queue the queue of the group
	 * @param leftOut how many messages
	 */
	record Filter(String queue, int leftOut) implements ScriptCall {

	}

	/**
	 * Entries of an inlet that became dead messages, as they cannot be sent.
	 *
	 * @param dead the dead messages that they became
	 * @param time the store's clock
	 */
	record Refusal(String queue, List<TakenEntry.Dead> dead, Instant time) implements ScriptCall {

	}

	/**
	 * A request that settles and claims.
	 *
	 * @param together whether a message was sent in the same step as an acknowledgement
	 * @param nanos how long it took
	 */
	record Claim(String queue, ClaimRequest request, ClaimReply reply, Predicate<NextMessage> together,
			long nanos) implements ScriptCall {

		@Override
		public @Nullable Instant drainedAt() {
			return this.reply.moves().drained() ? this.reply.time() : null;
		}

	}

	/**
	 * A request that writes the progress, the logs and the checkpoints of messages.
	 */
	record Work(String queue, WorkRequest request, WorkReply reply) implements ScriptCall {

	}

	/**
	 * Commands on messages, or on the queue.
	 */
	record Steer(String queue, List<MessageCommand> commands, CommandReply reply) implements ScriptCall {

		@Override
		public @Nullable Instant drainedAt() {
			return this.reply.emptied() ? this.reply.time() : null;
		}

	}

	/**
	 * Messages that were removed.
	 *
	 * @param cause why, for people
	 * @param uids the messages; empty if no observer needs the moves of messages
	 * @param time the store's clock
	 * @param drained whether the last living message has gone
	 */
	record Removal(String queue, String cause, List<String> uids, Instant time, boolean drained) implements ScriptCall {

		@Override
		public @Nullable Instant drainedAt() {
			return this.drained ? this.time : null;
		}

	}

}
