package io.redelay.queue.store;

import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;

/**
 * Keeps the messages of all queues, each in exactly one state, and moves them one request
 * at a time.
 * <p>
 * A request belongs to a lane, which numbers its requests from 1 and has one on the wire
 * at a time. A repeated number gets the same reply, so any request may be sent again.
 * Implementations resend by themselves; a future that fails with
 * {@link OutcomeUnknownException} gave up doing so, and its lane must not be used again.
 * Futures complete on threads that must not be blocked.
 *
 * @since 0.1.0
 */
public interface DelayQueueStore {

	/**
	 * How many messages one request of {@link #findCancelled} can name.
	 */
	int MAX_ASKED = 500;

	/**
	 * Returns the name of this instance in the store, new with each start.
	 * @return the name, with which the names of its lanes begin
	 */
	String instance();

	/**
	 * Creates a name for a lane that no lane ever had.
	 * @return the name
	 */
	String newLane();

	/**
	 * Returns whether queues are spread over several masters, so that no request can see
	 * more than one of them.
	 * @return whether they are; not by default
	 */
	default boolean isClustered() {
		return false;
	}

	/**
	 * Returns whether one request can look at many queues.
	 * @return whether {@link #findOccupied(List)} does so; not by default
	 */
	default boolean looksAtMany() {
		return false;
	}

	/**
	 * Finds which of many queues have living messages, or notes in their outbox.
	 * @param queues the queues
	 * @return those of them
	 */
	default CompletableFuture<List<String>> findOccupied(List<String> queues) {
		throw new UnsupportedOperationException("This store looks at one queue at a time");
	}

	/**
	 * Adds a queue to the list of queues; safe to repeat.
	 * @param queue the queue
	 * @return a future that completes when it is known
	 */
	CompletableFuture<Void> register(String queue);

	/**
	 * Remembers the requests that were answered, in case the store goes back in time.
	 * @return the memory that all lanes share
	 */
	ReplayMemory replayMemory();

	/**
	 * Returns how messages are sent to a queue, all or none of a request.
	 * @param queue the queue
	 * @param terms the terms on which they are sent
	 * @return the protocol of a {@link RequestBatcher}
	 */
	RequestProtocol<NewMessage, SendReply> sends(String queue, SendTerms terms);

	/**
	 * Opens a lane to claim on, which lives for its lease and is renewed by each claim.
	 * @param queue the queue
	 * @param lane a new lane
	 * @param lease how long it lives without being renewed
	 * @param before the number before its first request: the last one of the lane that it
	 * follows, or 0
	 * @return a future that completes when it is open
	 */
	CompletableFuture<Void> openLane(String queue, String lane, Duration lease, long before);

	/**
	 * Takes over the messages that an earlier lane holds.
	 * @param queue the queue
	 * @param request the messages to take over
	 * @return what was taken over
	 */
	CompletableFuture<ResumeReply> resume(String queue, ResumeRequest request);

	/**
	 * Settles finished messages and claims the next ones.
	 * @param queue the queue
	 * @param request the settlements, and how much to claim
	 * @return what was claimed
	 */
	CompletableFuture<ClaimReply> claim(String queue, ClaimRequest request);

	/**
	 * Renews a lane and with it the lease of all it holds; a dead lane stays dead.
	 * @param queue the queue
	 * @param lane the lane
	 * @param lease how long it lives from now on
	 * @param answered the number of its last request that was answered
	 * @return whether the lane is alive and its answered requests are remembered, and
	 * whether held messages may have been cancelled
	 */
	CompletableFuture<LaneRenewal> renewLane(String queue, String lane, Duration lease, long answered);

	/**
	 * Renews a lane whose claims have limits.
	 * @param queue the queue
	 * @param lane the lane
	 * @param lease how long it lives from now on
	 * @param answered the number of its last request that was answered
	 * @param limits the limits of its claims: the messages it holds still count
	 * @return whether it is alive and the store remembers its last request, and whether
	 * held messages may have been cancelled
	 */
	default CompletableFuture<LaneRenewal> renewLane(String queue, String lane, Duration lease, long answered,
			ClaimLimits limits) {
		return renewLane(queue, lane, lease, answered);
	}

	/**
	 * Writes the progress, the logs and the checkpoints of messages of a lane, and renews
	 * the lane as {@link #renewLane} does. Safe to repeat.
	 * @param queue the queue
	 * @param request the data to write
	 * @return the reply
	 * @throws UnsupportedOperationException if this store keeps nothing, as by default
	 */
	default CompletableFuture<WorkReply> keepWork(String queue, WorkRequest request) {
		throw new UnsupportedOperationException("The store " + getClass().getName() + " keeps no checkpoints");
	}

	/**
	 * Closes a lane that holds nothing.
	 * @param queue the queue
	 * @param lane the lane
	 * @return a future that completes when it is closed
	 */
	CompletableFuture<Void> closeLane(String queue, String lane);

	/**
	 * Asks which messages that a lane holds were cancelled.
	 * @param queue the queue
	 * @param uids the messages, at most {@link #MAX_ASKED}
	 * @return the messages that must not be tried again
	 */
	CompletableFuture<Set<String>> findCancelled(String queue, List<String> uids);

	/**
	 * Removes notes from the outbox of a queue, and reads the next ones. Safe to repeat.
	 * @param queue the queue
	 * @param request the notes to remove and to read
	 * @return what is there
	 */
	CompletableFuture<OutboxReply> outbox(String queue, OutboxRequest request);

	/**
	 * Begins and ends runs that succeed once for each idempotency key.
	 * @param queue the queue that the keys belong to
	 * @param request the runs that begin and end
	 * @return the result of each step, in the same order; or that the store has forgotten
	 * requests of the owner, and nothing was done
	 */
	CompletableFuture<RunReply> runs(String queue, RunRequest request);

	/**
	 * Notifies a listener of which of this store's sleeping lanes have something to do.
	 * @param listener called on threads that must not be blocked
	 * @return the subscription, which ends when it is closed
	 */
	WakeUpSubscription subscribe(WakeUpListener listener);

}
