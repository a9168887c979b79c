package io.redelay.queue.store;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/**
 * The part of the store by which the names of queues that have nothing are forgotten.
 * <p>
 * Safe for use by many threads. Futures complete on threads that must not be blocked, and
 * fail with a {@link StoreException}. Each request may be made again.
 *
 * @since 0.1.0
 */
public interface NameStore {

	/**
	 * Takes the turn for something that one instance does for all, or prolongs it.
	 * @param what what it is the turn for
	 * @param owner the one that takes it
	 * @param duration how long it lasts
	 * @return whether it is the turn of the owner
	 */
	CompletableFuture<Boolean> takeTurn(String what, String owner, Duration duration);

	/**
	 * Makes a queue known to all that look for queues.
	 * @param queue the queue
	 * @return completes when it is known
	 */
	CompletableFuture<Void> register(String queue);

	/**
	 * Looks whether a queue has nothing, and notes that. A send that comes later has its
	 * lane opened anew.
	 * @param queue the queue, as the store knows it
	 * @param duration for how long it is to have had nothing
	 * @return what it has
	 */
	CompletableFuture<Look> look(String queue, Duration duration);

	/**
	 * Forgets a queue, unless one of its partitions has something by then, or a sender.
	 * Whoever uses it again registers it again.
	 * @param begun which queue, and who began to forget it: the owner, or another one
	 * that has died
	 * @param partitions the names that the store has for its partitions
	 * @param owner the one that does it
	 * @return whether it was forgotten, and this call ended what was begun
	 */
	CompletableFuture<Boolean> forget(Begun begun, List<String> partitions, String owner);

	/**
	 * What was begun to be forgotten, and not ended. If that instance died, the queue is
	 * in no registry although it may have messages by now.
	 * @return what was begun
	 */
	CompletableFuture<List<Begun>> begun();

	/**
	 * That a queue is being forgotten.
	 *
	 * @param queue the queue
	 * @param owner who began it
	 */
	record Begun(String queue, String owner) {

	}

	/**
	 * What a look at a queue finds.
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
