package io.redelay.queue.store;

import java.time.Instant;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;

import org.jspecify.annotations.Nullable;

/**
 * Keeps bundles of messages, each in the queue that gets its callback. Futures complete
 * on threads that must not be blocked.
 *
 * @since 0.1.0
 */
public interface BundleStore {

	/**
	 * How many messages one request names at most.
	 */
	int MAX_MEMBERS = 1000;

	/**
	 * Opens a lane to give commands on.
	 * @param queue the queue where the bundles are kept
	 * @return its name
	 */
	CompletableFuture<String> openLane(String queue);

	/**
	 * Asks for the number of the last request of a lane.
	 * @param queue the queue
	 * @param lane the lane
	 * @return what Redis remembers
	 */
	CompletableFuture<SenderState> checkLane(String queue, String lane);

	/**
	 * Gives commands.
	 * @param queue the queue where the bundles are kept
	 * @param lane an open lane
	 * @param seq the number of the request in that lane, from 1
	 * @param commands the commands
	 * @param again whether they are given again because Redis went back in time
	 * @return what became of them
	 */
	CompletableFuture<BundleReply> command(String queue, String lane, long seq, List<BundleCommand> commands,
			boolean again);

	/**
	 * Returns the requests that are remembered in case Redis goes back in time.
	 * @return the memory
	 */
	ReplayMemory replayMemory();

	/**
	 * Returns the names of the queues where bundles were ever opened.
	 * @return the names
	 */
	CompletableFuture<Set<String>> queues();

	/**
	 * Lists bundles that have not ended.
	 * @param queue the queue where they are kept
	 * @param cursor where to go on, {@code 0} at first
	 * @return some of the bundles, and where to go on
	 */
	CompletableFuture<BundlePage> list(String queue, String cursor);

	/**
	 * Looks for a bundle.
	 * @param queue the queue where it is kept
	 * @param bundle its id
	 * @return a page with the bundle, or with none
	 */
	CompletableFuture<BundlePage> find(String queue, String bundle);

	/**
	 * Lists messages of a bundle that have not ended.
	 * @param queue the queue where it is kept
	 * @param bundle its id
	 * @param after the message behind which to go on, if any were listed before
	 * @return some of them
	 */
	CompletableFuture<PendingMembers> pending(String queue, String bundle, @Nullable PendingMember after);

	/**
	 * Asks which messages of bundles a queue no longer has.
	 * @param queue the name that the store has for a partition of the queue
	 * @param members at most 500 of them
	 * @return those
	 */
	CompletableFuture<PendingMembers> missing(String queue, List<PendingMember> members);

	/**
	 * A page of bundles.
	 *
	 * @param bundles the bundles
	 * @param cursor where to go on; {@code 0} if these are the last ones
	 * @param time the store's clock when it was read
	 */
	record BundlePage(List<StoredBundle> bundles, String cursor, Instant time) {
	}

	/**
	 * Messages of bundles.
	 *
	 * @param members the messages
	 * @param relaying whether the outbox of the asked queue has notes
	 */
	record PendingMembers(List<PendingMember> members, boolean relaying) {
	}

}
