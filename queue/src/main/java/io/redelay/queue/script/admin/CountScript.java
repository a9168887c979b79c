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
		return new Counts(time, scheduled, ready, inFlight, dead, nextDue, paused, closed, reply.timeOrNull(),
				reply.number(), reply.timeOrNull(), reply.number(), reply.number(), reply.number(),
				LimitWords.read(reply.text(), reply.text(), reply.text()), reply.number());
	}

	/**
	 * The numbers of messages of a queue, and its state.
	 *
	 * @param time the store's clock
	 * @param scheduled how many are not due yet
	 * @param ready how many are due and wait
	 * @param inFlight how many are held by listeners
	 * @param dead how many were given up
	 * @param nextDue when the next scheduled one is due, if there is one
	 * @param paused whether nothing is delivered
	 * @param closed whether new messages are refused
	 * @param oldestDue when the message was due that has been ready longest, if there is
	 * one and its due time is known
	 * @param overdue how many have a time to live that is over, those in flight included
	 * @param gatedUntil until when nothing is delivered, if the queue waits
	 * @param completed how many are done and kept
	 * @param completedBytes how large these are, with their results
	 * @param deadBytes how large the dead ones are, with the data kept of them
	 * @param limits the limits that are set for all instances
	 * @param inlet how many entries its inlet has
	 */
	public record Counts(Instant time, long scheduled, long ready, long inFlight, long dead, @Nullable Instant nextDue,
			boolean paused, boolean closed, @Nullable Instant oldestDue, long overdue, @Nullable Instant gatedUntil,
			long completed, long completedBytes, long deadBytes, StoredLimits limits, long inlet) {

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

	}

}
