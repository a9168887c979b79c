package io.redelay.queue.script;

import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;

import io.redelay.queue.message.OutboxNote;
import io.redelay.queue.request.StoreException;
import org.jspecify.annotations.Nullable;

/**
 * Carries out notes of one kind. A note may be repeated, also on another instance: it may
 * have been carried out already then.
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
	 * Returns the target queue of a note. Notes for other queues do not wait for those of
	 * a queue that takes none.
	 * @param note the note
	 * @return the queue, as the store knows it
	 * @throws RuntimeException if the note does not say
	 */
	String target(OutboxNote note);

	/**
	 * Carries out notes.
	 * @param queue the queue, as the store knows it, in whose outbox they are
	 * @param notes the notes, all of one target, in their order
	 * @return the result
	 */
	CompletableFuture<Relayed> relay(String queue, List<OutboxNote> notes);

	/**
	 * The result for some notes.
	 *
	 * @param done the notes that are done and are removed from the outbox. The others
	 * stay there, and are repeated later
	 * @param problem why some notes stay, or {@code null} if none does, or the store is
	 * away
	 */
	record Relayed(Collection<OutboxNote> done, @Nullable String problem) {

		/**
		 * Returns the result if nothing is done because of a failure.
		 * @param failure the failure
		 * @return the result
		 */
		public static Relayed failed(Throwable failure) {
			return new Relayed(List.of(), StoreException.isAway(failure) ? null : String.valueOf(failure.getMessage()));
		}

		/**
		 * Puts results together.
		 * @param done notes that are done already
		 * @param parts the results for other notes
		 * @return the result for all of them
		 */
		public static CompletableFuture<Relayed> all(List<OutboxNote> done, List<CompletableFuture<Relayed>> parts) {
			return CompletableFuture.allOf(parts.toArray(CompletableFuture[]::new)).thenApply((ended) -> {
				List<OutboxNote> all = new ArrayList<>(done);
				Set<String> problems = new LinkedHashSet<>();
				parts.stream().map(CompletableFuture::join).forEach((part) -> {
					all.addAll(part.done());
					if (part.problem() != null) {
						problems.add(part.problem());
					}
				});
				return new Relayed(all, problems.isEmpty() ? null : String.join("; ", problems));
			});
		}

	}

}
