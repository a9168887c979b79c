package io.redelay.queue.script;

import java.time.Instant;
import java.util.List;

import io.redelay.queue.MessageState;
import io.redelay.queue.request.LaneReply;
import io.redelay.queue.request.LaneStatus;
import io.redelay.queue.request.StoreException;
import org.jspecify.annotations.Nullable;

/**
 * The reply to commands on messages.
 *
 * @param status whether the request was carried out
 * @param time the store's clock when it was
 * @param untidy whether the queue's lists have many entries of former messages
 * @param results the result of each, in the same order
 * @param emptied whether the commands removed the last living message
 * @param stuckBy why packed messages could not come near for which commands wait, or
 * {@code null} if none failed to
 * @since 0.1.0
 */
public record CommandReply(LaneStatus status, Instant time, boolean untidy, List<Result> results, boolean emptied,
		@Nullable StoreException stuckBy) implements LaneReply<CommandReply> {

	/**
	 * Creates the reply to commands behind which living messages are left, or were none.
	 * @param status whether the request was carried out
	 * @param time the store's clock when it was
	 * @param untidy whether the queue's lists have many entries of former messages
	 * @param results the result of each
	 */
	public CommandReply(LaneStatus status, Instant time, boolean untidy, List<Result> results) {
		this(status, time, untidy, results, false, null);
	}

	@Override
	public CommandReply part(int first, int size) {
		return new CommandReply(this.status, this.time, this.untidy, this.results.subList(first, first + size), false,
				this.stuckBy);
	}

	@Override
	public int done(int size) {
		int done = 0;
		while (done < this.results.size() && this.results.get(done).outcome() != Result.Outcome.LATER) {
			done++;
		}
		return done;
	}

	@Override
	public @Nullable StoreException failure() {
		int done = done(this.results.size());
		return (done < this.results.size() && this.results.get(done).isStuck()) ? this.stuckBy : null;
	}

	/**
	 * The result of a command on one message.
	 *
	 * @param state the state in which the message was found
	 * @param outcome the outcome
	 * @param due when the message is due, if it waits; its deadline, if that would be
	 * over then
	 * @param target the queue it is being forwarded to, if it is; of a command that is to
	 * be given again, the number of the chunk in which the message was packed, if it was
	 */
	public record Result(MessageState state, Outcome outcome, @Nullable Instant due, @Nullable String target) {

		/**
		 * What stands before the number of a chunk that could not come near.
		 */
		private static final String STUCK = "*";

		/**
		 * Returns the result of a command that waits for a chunk that could not come
		 * near, as Redis or the database of its content could not be asked.
		 * @return the result, by which the command is to be given again
		 */
		public Result stuck() {
			return new Result(this.state, this.outcome, this.due, STUCK + this.target);
		}

		/**
		 * Returns whether the command waits for such a chunk.
		 * @return whether it does
		 */
		public boolean isStuck() {
			return this.target != null && this.outcome == Outcome.LATER && this.target.startsWith(STUCK);
		}

		/**
		 * Returns whether the command was carried out.
		 * @return whether it was
		 */
		public boolean isDone() {
			return this.outcome == Outcome.DONE;
		}

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
			 * Nothing: the message has changed since the command was made, and must be
			 * looked at again.
			 */
			CHANGED,

			/**
			 * Nothing: the line of its ordering key is full.
			 */
			FULL,

			/**
			 * Nothing: it is packed, and cannot be read.
			 */
			UNREADABLE,

			/**
			 * Nothing yet: the request has moved as many bytes as it may. The command and
			 * all behind it must be given again.
			 */
			LATER

		}

	}

}
