package io.redelay.queue.store;

import java.util.List;
import java.util.concurrent.CompletableFuture;

/**
 * The feed of the events of all instances, in which the last batches of events are.
 * <p>
 * Safe for use by many threads. Futures complete on threads that must not be blocked, and
 * fail with a {@link StoreException}.
 *
 * @since 0.1.0
 */
public interface EventFeed {

	/**
	 * A feed without events.
	 */
	EventFeed NONE = new EventFeed() {

		@Override
		public CompletableFuture<Void> append(String source, long first, String events) {
			return CompletableFuture.completedFuture(null);
		}

		@Override
		public CompletableFuture<Page> read(String after) {
			return CompletableFuture.completedFuture(new Page(after, List.of()));
		}

	};

	/**
	 * Adds a batch. A batch that is added twice has the same numbers.
	 * @param source the name of the instance, which is new with each start
	 * @param first the number of the first event
	 * @param events the events, JSON
	 * @return a future that completes when it is added
	 */
	CompletableFuture<Void> append(String source, long first, String events);

	/**
	 * Reads batches.
	 * @param after the last entry that was read, or empty to begin behind the last one
	 * that is there
	 * @return what follows
	 */
	CompletableFuture<Page> read(String after);

	/**
	 * A page of the feed.
	 *
	 * @param last the last entry that was read by now
	 * @param batches the batches
	 */
	record Page(String last, List<Batch> batches) {

	}

	/**
	 * Events of one instance.
	 *
	 * @param source the instance
	 * @param first the number of the first event
	 * @param events the events, JSON
	 */
	record Batch(String source, long first, String events) {

	}

}
