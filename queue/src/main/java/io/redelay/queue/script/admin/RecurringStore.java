package io.redelay.queue.script.admin;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;

import io.redelay.queue.message.NewMessage;
import io.redelay.queue.message.StoredRunState;
import io.redelay.queue.request.StoreException;
import org.jspecify.annotations.Nullable;

/**
 * Keeps the state of recurring messages, each in the slot of its queue, so that it
 * changes together with the messages of its ticks. The state is the caller's text, of
 * which the store reads only the uids in the first line.
 * <p>
 * Futures complete on threads that must not be blocked, and fail with a
 * {@link StoreException}.
 *
 * @since 0.1.0
 */
public interface RecurringStore {

	/**
	 * Returns the name of this program, by which others see whether it lives.
	 * @return the name
	 */
	String instance();

	/**
	 * Looks at a recurring message.
	 * @param queue the queue
	 * @param name the name of the recurring message
	 * @return what is known of it
	 */
	CompletableFuture<Entry> look(String queue, String name);

	/**
	 * Looks at all recurring messages of a queue.
	 * @param queue the queue
	 * @return what is known of each, by name
	 */
	CompletableFuture<Map<String, Entry>> list(String queue);

	/**
	 * Changes the state of a recurring message, and its messages with it.
	 * @param queue the queue
	 * @param change the change
	 * @return whether it was changed; if not, the state was not the expected one
	 */
	CompletableFuture<Boolean> write(String queue, Change change);

	/**
	 * Notes that there is a queue, and that it has recurring messages.
	 * @param queue the queue
	 * @return a future that completes when it is noted
	 */
	CompletableFuture<Void> register(String queue);

	/**
	 * Notes that a queue has no recurring messages any more.
	 * @param queue the queue
	 * @return a future that completes when it is noted
	 */
	CompletableFuture<Void> unregister(String queue);

	/**
	 * Lists the queues that have recurring messages.
	 * @return their names
	 */
	CompletableFuture<Set<String>> queues();

	/**
	 * Announces that this instance lives and declares recurring messages.
	 * @param timeToLive how long the announcement holds
	 * @return a future that completes when it is announced
	 */
	CompletableFuture<Void> announce(Duration timeToLive);

	/**
	 * Returns whether the announcement of an instance still holds.
	 * @param instance the name of the instance
	 * @return whether it lives
	 */
	CompletableFuture<Boolean> isAnnounced(String instance);

	/**
	 * A change of the stored state of a recurring message.
	 *
	 * @param name the name of the recurring message
	 * @param expected the stored state before, or {@code null} if there is none
	 * @param replacement the stored state afterwards, or {@code null} to forget it. Each
	 * change of a recurring message has another one
	 * @param forgetsState whether the state that its runs pass on is forgotten, and no
	 * longer saved by runs that have begun
	 * @param removed uids of messages that are removed unless they are due
	 * @param added messages that are added, each with the time at which it is due, up to
	 * ten
	 */
	public record Change(String name, @Nullable String expected, @Nullable String replacement, boolean forgetsState,
			List<String> removed, List<NewMessage> added) {

	}

	/**
	 * The stored state of a recurring message.
	 *
	 * @param time the present time by the clock of the store
	 * @param known the stored state, or {@code null} if there is none
	 * @param state the state that its runs pass on
	 * @param living the uids of its messages that are neither acknowledged nor dead
	 */
	public record Entry(Instant time, @Nullable String known, StoredRunState state, Set<String> living) {

	}

}
