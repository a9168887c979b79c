package io.redelay.queue.store;

import java.util.concurrent.CompletableFuture;

/**
 * Adds messages to all queues, one request at a time.
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
	 * Creates a name for a lane that no lane ever had.
	 * @return the name
	 */
	String newLane();

	/**
	 * Adds a queue to the list of queues; safe to repeat.
	 * @param queue the queue
	 * @return a future that completes when it is known
	 */
	CompletableFuture<Void> register(String queue);

	/**
	 * Returns the topics, whose groups have queues of this store.
	 * @return the store of the topics
	 * @throws UnsupportedOperationException if this store has none, as by default
	 */
	default TopicStore topics() {
		throw new UnsupportedOperationException("The store " + getClass().getName() + " has no topics");
	}

	/**
	 * Returns the inlets of queues of this store.
	 * @return what takes entries out of them
	 * @throws UnsupportedOperationException if this store has none, as by default
	 */
	default InletStore inlets() {
		throw new UnsupportedOperationException("The store " + getClass().getName() + " has no inlets");
	}

	/**
	 * Remembers the requests that were answered, in case the store goes back in time.
	 * @return the memory that all lanes share
	 */
	ReplayMemory replayMemory();

	/**
	 * Opens a lane to send on.
	 * @param queue the queue
	 * @param lane a new lane
	 * @return a future that completes when it is open
	 */
	CompletableFuture<Void> openSender(String queue, String lane);

	/**
	 * Adds messages, all or none.
	 * @param queue the queue
	 * @param request the messages to add
	 * @return what became of it
	 */
	CompletableFuture<SendReply> send(String queue, SendRequest request);

	/**
	 * Asks which request of a lane to send on is the last one that is remembered.
	 * @param queue the queue
	 * @param lane the lane
	 * @return what is remembered
	 */
	CompletableFuture<SenderState> checkSender(String queue, String lane);

}
