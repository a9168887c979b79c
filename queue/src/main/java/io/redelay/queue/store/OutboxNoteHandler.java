package io.redelay.queue.store;

import java.util.Collection;
import java.util.List;
import java.util.concurrent.CompletableFuture;

import org.jspecify.annotations.Nullable;

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
	 * Returns the queue where what a note says is to happen. Notes of other queues do not
	 * wait for those of one that takes none.
	 * @param note the note
	 * @return the queue, as the store knows it
	 * @throws RuntimeException if the note does not say
	 */
	String target(OutboxNote note);

	/**
	 * Has happen what notes say.
	 * @param queue the queue, as the store knows it, in whose outbox they are
	 * @param notes the notes, all of one target, in their order
	 * @return what became of them
	 */
	CompletableFuture<Relayed> relay(String queue, List<OutboxNote> notes);

	/**
	 * What became of notes.
	 *
	 * @param done those that are done, and are removed from the outbox. The others stay
	 * there, and come again later
	 * @param problem why some stay, or {@code null} if none does, or the store is away
	 */
	record Relayed(Collection<OutboxNote> done, @Nullable String problem) {

	}

}
