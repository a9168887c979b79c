package io.redelay.queue.store;

import java.util.List;
import java.util.concurrent.CompletableFuture;

/**
 * The inlets of queues: lists to which programs without Redelay push. Lanes for taking
 * over entries are opened and checked like the lanes of a sender.
 *
 * @since 0.1.0
 */
public interface InletStore {

	/**
	 * Returns the Redis key of an inlet, to which other programs push.
	 * @param queue the queue
	 * @return the key
	 */
	String key(String queue);

	/**
	 * Finds which of many inlets exist.
	 * @param queues their queues
	 * @return those of them
	 */
	CompletableFuture<List<String>> findFilled(List<String> queues);

	/**
	 * Shows the next entries of an inlet; changes nothing.
	 * @param queue the queue
	 * @param most how many entries at most
	 * @param maxBytes how large they are together, which the last one may exceed
	 * @param longest how many bytes of an entry are read at most
	 * @return the entries
	 */
	CompletableFuture<InletPage> look(String queue, int most, long maxBytes, long longest);

	/**
	 * Takes entries out of an inlet, and adds the messages made of them, all or none.
	 * @param queue the queue
	 * @param request the entries to take
	 * @param longest how many bytes of an entry were read at most
	 * @return the results of the messages; {@link LaneStatus#MOVED} if the entries are no
	 * longer the first ones
	 */
	CompletableFuture<SendReply> takeOver(String queue, TakeOverRequest request, long longest);

}
