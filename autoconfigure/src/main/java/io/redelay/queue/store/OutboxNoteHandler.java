package io.redelay.queue.store;

import java.util.Collection;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/**
 * Has happen what notes of one kind say. A note may come again, also to another instance:
 * it may have happened already then.
 * <p>
 * Safe for use by many threads. No method blocks.
 *
 * @since 0.1.0
 */
public interface OutboxNoteHandler {

	/**
	 * Returns the kind of the notes.
	 * @return a letter
	 */
	char kind();

	/**
	 * Has happen what notes say.
	 * @param queue the queue, as the store knows it, in whose outbox they are
	 * @param notes the notes, in their order
	 * @return those that are done, and are removed from the outbox. The others stay
	 * there, and come again later
	 */
	CompletableFuture<Collection<OutboxNote>> relay(String queue, List<OutboxNote> notes);

}
