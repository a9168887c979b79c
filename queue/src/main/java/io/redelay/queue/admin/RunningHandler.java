package io.redelay.queue.admin;

import java.time.Duration;
import java.time.Instant;
import java.util.Objects;

import io.redelay.queue.work.MessageProgress;
import org.jspecify.annotations.Nullable;

/**
 * A handler that has a message in hand, as its instance says when it is asked.
 *
 * @param queue the queue
 * @param id the id of the message
 * @param uid the uid of the message
 * @param claim the number of the claim, another one for each delivery of the message
 * @param attempt which attempt this is, from 1
 * @param maxAttempts how often the message is attempted at most
 * @param payloadType the logical name of the payload, or {@code null} if its sender gave
 * none
 * @param dueAt when the message was due
 * @param listener the id of the listener
 * @param instance the name of the instance in the store
 * @param instanceName the display name of the instance
 * @param since when the handler was called, by the clock of Redis
 * @param running how long ago that was
 * @param state what it does
 * @param thread the name of the thread that works on the message; {@code null} if none
 * does
 * @param line the innermost frame of the application's code on that thread; {@code null}
 * if there is none
 * @param batch whether the listener takes batches
 * @param messages for how many messages the handler was called together
 * @param cancelled whether the message was cancelled, so that the handler was asked to
 * stop
 * @param acknowledged whether the message was acknowledged before its handling, so that
 * it is not delivered again
 * @param progress what the handler has reported last; {@code null} if nothing
 * @param median how long half of the handlings of messages with this payload type took at
 * most, in the last half hour at least; {@code null} if there were fewer than twenty, or
 * the listener takes batches
 * @param p99 how long 99 of 100 took at most; {@code null} if there were fewer than a
 * hundred
 * @since 0.1.0
 */
public record RunningHandler(String queue, String id, String uid, long claim, int attempt, int maxAttempts,
		@Nullable String payloadType, Instant dueAt, String listener, String instance, String instanceName,
		Instant since, Duration running, State state, @Nullable String thread, HandlerStack.@Nullable Frame line,
		boolean batch, int messages, boolean cancelled, boolean acknowledged, @Nullable MessageProgress progress,
		@Nullable Duration median, @Nullable Duration p99) {

	/**
	 * Refuses what is no handler.
	 */
	public RunningHandler {
		Objects.requireNonNull(queue, "queue");
		Objects.requireNonNull(id, "id");
		Objects.requireNonNull(uid, "uid");
		Objects.requireNonNull(dueAt, "dueAt");
		Objects.requireNonNull(listener, "listener");
		Objects.requireNonNull(instance, "instance");
		Objects.requireNonNull(instanceName, "instanceName");
		Objects.requireNonNull(since, "since");
		Objects.requireNonNull(running, "running");
		Objects.requireNonNull(state, "state");
	}

	/**
	 * Returns whether it has taken longer than 99 of 100 usually do.
	 * @return whether that is known, and so
	 */
	public boolean isSlow() {
		return this.p99 != null && this.running.compareTo(this.p99) > 0;
	}

	/**
	 * What a handler does.
	 */
	public enum State {

		/**
		 * A thread works on the message.
		 */
		HANDLING,

		/**
		 * The handler returned a future or a publisher, whose completion is awaited.
		 * Where the work goes on is not known.
		 */
		AWAITING_RESULT,

		/**
		 * The handler returned, and is to acknowledge its message later.
		 */
		AWAITING_ACKNOWLEDGMENT

	}

}
