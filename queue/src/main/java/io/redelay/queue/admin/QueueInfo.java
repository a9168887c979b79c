package io.redelay.queue.admin;

import java.time.Duration;
import java.time.Instant;

import org.jspecify.annotations.Nullable;

/**
 * The numbers of messages of a queue, and its state.
 *
 * @param queue the queue
 * @param scheduled how many are not due yet
 * @param ready how many are due and wait for a listener
 * @param inFlight how many are in hand
 * @param dead how many were given up and are kept
 * @param nextDue when the next scheduled one is due, if there is one. Where the next ones
 * are packed, it may have been cancelled since; or the time is over, if they were not
 * brought near
 * @param oldestReadyAge how long the oldest ready one has been due; zero if none is
 * @param paused whether delivery is paused
 * @param closed whether new messages are refused
 * @param gatedUntil until when nothing is delivered by the clock of Redis, if the queue's
 * gate is closed; see {@link io.redelay.queue.listener.QueueGates}
 * @param completed how many are done and kept
 * @param completedBytes how large these are together, with their results
 * @param deadBytes how large the dead ones are together, with their attempts and work
 * @param inlet how many entries wait in the queue's inlet, to become messages
 * @param packed how many of the scheduled ones are packed, as they are due much later
 * @since 0.1.0
 */
public record QueueInfo(String queue, long scheduled, long ready, long inFlight, long dead, @Nullable Instant nextDue,
		Duration oldestReadyAge, boolean paused, boolean closed, @Nullable Instant gatedUntil, long completed,
		long completedBytes, long deadBytes, long inlet, long packed) {

}
