package io.redelay.queue.store;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/**
 * The part of the store that forgets the names of empty queues.
 * <p>
 * Safe for use by many threads. Futures complete on threads that must not be blocked, and
 * fail with a {@link StoreException}. Each request may be made again.
 *
 * @since 0.1.0
 */
public interface NameStore {

	/**
	 * Takes or prolongs the turn for an action that one instance does for all.
	 * @param what the purpose of the turn
	 * @param owner the one that takes it
	 * @param duration how long it lasts
	 * @return whether it is the turn of the owner
	 */
	CompletableFuture<Boolean> takeTurn(String what, String owner, Duration duration);

	/**
	 * Registers a queue, so that all instances find it.
	 * @param queue the queue
	 * @return a future that completes when it is known
	 */
	CompletableFuture<Void> register(String queue);

	/**
	 * Looks whether a queue has nothing, and notes that. A later send opens its lane
	 * anew.
	 * @param queue the queue, as the store knows it
	 * @param duration for how long it is to have had nothing
	 * @return what it has
	 */
	CompletableFuture<Look> look(String queue, Duration duration);

	/**
	 * Forgets a queue, unless one of its partitions has an entry or a sender meanwhile.
	 * The next use of the queue registers it again.
	 * @param begun the queue, and the instance that began to forget it: the owner, or
	 * another one that has died
	 * @param partitions the names that the store has for its partitions
	 * @param owner the instance that forgets it
	 * @return whether it was forgotten, and this call ended what was begun
	 */
	CompletableFuture<Boolean> forget(Begun begun, List<String> partitions, String owner);

	/**
	 * Returns the queues whose forgetting was begun and not ended. If that instance died,
	 * the queue is in no registry although it may have messages by now.
	 * @return the queues, each with its instance
	 */
	CompletableFuture<List<Begun>> begun();

	/**
	 * The record that a queue is being forgotten.
	 *
	 * @param queue the queue
	 * @param owner the instance that began it
	 */
	record Begun(String queue, String owner) {

	}

	/**
	 * The results of a look at a queue.
	 */
	enum Look {

		/**
		 * It has messages, a consumer, settings or history.
		 */
		USED,

		/**
		 * It has nothing, not for long enough.
		 */
		IDLE,

		/**
		 * It has had nothing for long enough.
		 */
		DUE

	}

}
