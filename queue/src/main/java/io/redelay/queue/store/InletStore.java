package io.redelay.queue.store;

import java.util.List;
import java.util.concurrent.CompletableFuture;

/**
 * The inlets of queues: lists to which programs push that know nothing of Redelay. Lanes
 * to take entries over on are opened and checked as those of a sender are.
 *
 * @since 0.1.0
 */
public interface InletStore {

	/**
	 * The name of an inlet for those who push to it.
	 * @param queue the queue
	 * @return the key
	 */
	String key(String queue);

	/**
	 * Finds those of many inlets that are there.
	 * @param queues their queues
	 * @return those of them
	 */
	CompletableFuture<List<String>> findFilled(List<String> queues);

	/**
	 * Shows the next entries of an inlet; changes nothing.
	 * @param queue the queue
	 * @param most how many entries at most
	 * @param maxBytes how large they are together, of which the last one may be more
	 * @param longest how many bytes of an entry are read at most
	 * @return the entries
	 */
	CompletableFuture<InletPage> look(String queue, int most, long maxBytes, long longest);

	/**
	 * Takes entries out of an inlet, and adds what was made of them, all or nothing.
	 * @param queue the queue
	 * @param request what to take
	 * @param longest how many bytes of an entry were read at most
	 * @return what became of the messages; {@link LaneStatus#MOVED} if the entries are
	 * not the first ones any more
	 */
	CompletableFuture<SendReply> takeOver(String queue, TakeOverRequest request, long longest);

}
