package io.redelay.queue.script.admin;

import java.time.Instant;
import java.util.concurrent.CompletableFuture;

import io.redelay.queue.MessageState;
import io.redelay.queue.message.LimitWords;
import io.redelay.queue.message.StoredLimits;
import io.redelay.queue.wire.ReplyReader;
import io.redelay.queue.wire.Script;
import io.redelay.queue.wire.ScriptRunner;
import org.jspecify.annotations.Nullable;

/**
 * Counts the messages of a queue.
 *
 * @param runner runs the script
 * @since 0.1.0
 */
public record CountScript(ScriptRunner runner) {

	public CompletableFuture<Counts> run(String queue) {
		return this.runner.run(Script.COUNT, queue, "Counting the messages of", CountScript::counts);
	}

	static Counts counts(ReplyReader reply) {
		Instant time = reply.timeAfterStatus();
		long scheduled = reply.number();
		long ready = reply.number();
		long inFlight = reply.number();
		long dead = reply.number();
		Instant nextDue = reply.timeOrNull();
		boolean paused = reply.flag();
		boolean closed = reply.flag();
		Instant oldestDue = reply.timeOrNull();
		long overdue = reply.number();
		Status status = new Status(paused, closed, reply.timeOrNull());
		long completed = reply.number();
		long completedBytes = reply.number();
		long deadBytes = reply.number();
		StoredLimits limits = LimitWords.read(reply.text(), reply.text(), reply.text());
		return new Counts(time,
				new Messages(scheduled, ready, inFlight, dead, completed, overdue, reply.number(), reply.number()),
				nextDue, oldestDue, status, completedBytes, deadBytes, limits);
	}

	/**
	 * The numbers of messages of a queue, and its state.
	 *
	 * @param time the store's clock
	 * @param messages how many messages there are
	 * @param nextDue when the next scheduled one is due, if there is one; not later than
	 * the clock only if it is packed
	 * @param oldestDue when the message was due that has been ready longest, if there is
	 * one and its due time is known
	 * @param status whether it delivers and takes messages
	 * @param completedBytes how large the completed ones are, with their results
	 * @param deadBytes how large the dead ones are, with the data kept of them
	 * @param limits the limits that are set for all instances
	 */
	public record Counts(Instant time, Messages messages, @Nullable Instant nextDue, @Nullable Instant oldestDue,
			Status status, long completedBytes, long deadBytes, StoredLimits limits) {

	}

	/**
	 * How many messages a queue has.
	 *
	 * @param scheduled how many are not due yet
	 * @param ready how many are due and wait
	 * @param inFlight how many are held by listeners
	 * @param dead how many were given up
	 * @param completed how many are done and kept
	 * @param overdue how many have a time to live that is over, those in flight included
	 * @param inlet how many entries its inlet has
	 * @param packed how many of the scheduled ones are packed
	 */
	public record Messages(long scheduled, long ready, long inFlight, long dead, long completed, long overdue,
			long inlet, long packed) {

		/**
		 * Returns how many messages there are in a state.
		 * @param state the state
		 * @return the number
		 */
		public long of(MessageState state) {
			return switch (state) {
				case SCHEDULED -> this.scheduled;
				case READY -> this.ready;
				case IN_FLIGHT -> this.inFlight;
				case DEAD -> this.dead;
				case COMPLETED -> this.completed;
				case UNKNOWN -> 0;
			};
		}

		/**
		 * Adds those of another partition.
		 * @param other the others
		 * @return the sums
		 */
		public Messages plus(Messages other) {
			return new Messages(this.scheduled + other.scheduled, this.ready + other.ready,
					this.inFlight + other.inFlight, this.dead + other.dead, this.completed + other.completed,
					this.overdue + other.overdue, this.inlet + other.inlet, this.packed + other.packed);
		}

	}

	/**
	 * Whether a queue delivers and takes messages.
	 *
	 * @param paused whether nothing is delivered
	 * @param closed whether new messages are refused
	 * @param gatedUntil until when nothing is delivered, if the queue waits
	 */
	public record Status(boolean paused, boolean closed, @Nullable Instant gatedUntil) {

	}

}
