package io.redelay.queue.store;

import java.time.Instant;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/**
 * Sends requests of one kind to the store, and reads the replies.
 *
 * @param <T> what a request is made of
 * @param <R> the reply
 * @since 0.1.0
 */
public interface RequestTransport<T, R> {

	/**
	 * Opens a new lane.
	 * @return its name, when it is open
	 */
	CompletableFuture<String> open();

	/**
	 * Sends a request.
	 * @param renews whether the store is to remember the lane for longer
	 * @param again whether an earlier lane may have carried it out
	 */
	CompletableFuture<R> transmit(String lane, long seq, boolean renews, List<T> items, boolean again);

	/**
	 * Repeats an answered request that Redis has forgotten.
	 * @param unknown whether Redis has forgotten the lane as well on which it was
	 * answered
	 */
	CompletableFuture<R> repeat(String lane, long seq, List<T> items, boolean unknown);

	/**
	 * Returns the items of a request that are to be sent once more if Redis forgets it.
	 */
	default List<T> repeatable(List<T> items) {
		return items;
	}

	/**
	 * Asks for the number of the last request of a lane that Redis remembers.
	 */
	CompletableFuture<SenderState> check(String lane);

	LaneStatus status(R reply);

	/**
	 * Returns the store's clock when it replied.
	 */
	Instant time(R reply);

	/**
	 * Returns whether the store refused all because of their number, so that each
	 * submission must be tried in a request of its own.
	 */
	boolean isTooMany(R reply);

	/**
	 * Returns the part of a reply that concerns some of the items.
	 */
	R part(R reply, int first, int size);

	long bytes(T item);

}
