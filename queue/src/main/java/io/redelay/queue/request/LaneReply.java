package io.redelay.queue.request;

import java.time.Instant;

import org.jspecify.annotations.Nullable;

/**
 * The reply to a request of a lane, which may hold the items of several submissions.
 *
 * @param <R> the reply itself
 * @since 0.1.0
 */
public interface LaneReply<R extends LaneReply<R>> {

	/**
	 * Returns whether the request was carried out.
	 * @return its status
	 */
	LaneStatus status();

	/**
	 * Returns the store's clock when it replied.
	 * @return the time
	 */
	Instant time();

	/**
	 * Returns the part that concerns some of the items.
	 * @param first the position of the first one
	 * @param size how many
	 * @return the part
	 */
	R part(int first, int size);

	/**
	 * Returns how many of the items the request has dealt with: those behind them are to
	 * be sent again.
	 * @param size how many items it had
	 * @return the number; all by default
	 */
	default int done(int size) {
		return size;
	}

	/**
	 * Returns why the first item was not dealt with that is to be sent again: although
	 * the request itself was carried out, something that the item needs failed.
	 * @return the failure; {@code null} by default, and if the item only has to be sent
	 * again
	 */
	default @Nullable StoreException failure() {
		return null;
	}

	/**
	 * Returns whether the store refused all because of one of them, or of their number,
	 * so that each submission must be tried in a request of its own.
	 * @return whether it did; not by default
	 */
	default boolean isTooMany() {
		return false;
	}

}
