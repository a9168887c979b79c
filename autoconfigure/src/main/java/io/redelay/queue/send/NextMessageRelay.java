package io.redelay.queue.send;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;

import io.redelay.queue.limits.PartitionName;
import io.redelay.queue.partition.QueuePartitions;
import io.redelay.queue.store.DelayQueueStore;
import io.redelay.queue.store.LaneStatus;
import io.redelay.queue.store.NewMessage;
import io.redelay.queue.store.NextMessage;
import io.redelay.queue.store.OutboxNote;
import io.redelay.queue.store.OutboxNoteHandler;
import io.redelay.queue.store.RequestBatchers;
import io.redelay.queue.store.SendReply;
import io.redelay.queue.store.StoreException;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

/**
 * Sends the messages that wait in an outbox until the queue they go to has them. That
 * queue remembers their uids for {@link #WINDOW}, so that it passes over one that is sent
 * again because an instance died before it could remove its note.
 *
 * @since 0.1.0
 */
public final class NextMessageRelay implements OutboxNoteHandler {

	/**
	 * For how long a queue remembers that it had a message, beyond the life of the
	 * message.
	 */
	public static final Duration WINDOW = Duration.ofHours(1);

	private static final int MAX_WAITING = 10_000;

	private static final Log logger = LogFactory.getLog(NextMessageRelay.class);

	private final RequestBatchers<NewMessage, SendReply> batchers;

	/**
	 * Creates a relay.
	 * @param store the store of the outboxes and of the queues
	 * @param settings how long queues may be
	 * @param partitions how many partitions they have
	 */
	public NextMessageRelay(DelayQueueStore store, SendSettings settings, QueuePartitions partitions) {
		this.batchers = RequestBatchers.forHandingOver(store, MAX_WAITING,
				(partition) -> settings.limit(partition, partitions),
				(partition) -> partitions.sentTo(PartitionName.queueOf(partition)), WINDOW);
	}

	@Override
	public char kind() {
		return NextMessage.KIND;
	}

	@Override
	public CompletableFuture<Collection<OutboxNote>> relay(String queue, List<OutboxNote> notes) {
		List<CompletableFuture<@Nullable String>> sent = new ArrayList<>(notes.size());
		notes.forEach((note) -> sent.add(send(note)));
		return CompletableFuture.allOf(sent.toArray(CompletableFuture[]::new)).thenApply((all) -> {
			List<OutboxNote> done = new ArrayList<>(notes.size());
			Map<String, Integer> problems = new TreeMap<>();
			for (int i = 0; i < sent.size(); i++) {
				String problem = sent.get(i).join();
				if (problem == null) {
					done.add(notes.get(i));
				}
				else {
					problems.merge(problem, 1, Integer::sum);
				}
			}
			problems.forEach((problem,
					count) -> logger.warn(count + " message(s) that were sent in bundles or with"
							+ " acknowledgements wait in the outbox of the queue '" + queue
							+ "', which is tried again: " + problem));
			return done;
		});
	}

	/**
	 * Sends what a note has.
	 * @return why that was not possible, or {@code null} if the message is sent; never
	 * fails
	 */
	private CompletableFuture<@Nullable String> send(OutboxNote note) {
		NextMessage next;
		try {
			next = NextMessage.read(note);
		}
		catch (RuntimeException ex) {
			return CompletableFuture.completedFuture("the note '" + note.id() + "' cannot be read: " + ex.getMessage());
		}
		String target = next.queue();
		return this.batchers.submit(target, List.of(next.message()), true)
			.handle((reply, failure) -> (failure != null) ? problem(target, failure) : problem(target, reply.status()));
	}

	private static @Nullable String problem(String queue, LaneStatus status) {
		return (status != LaneStatus.OK) ? "the queue '" + queue + "' takes none: it is " + status : null;
	}

	private static String problem(String queue, Throwable failure) {
		Throwable cause = (failure instanceof CompletionException && failure.getCause() != null) ? failure.getCause()
				: failure;
		return "the queue '" + queue + "' could not be reached: "
				+ (StoreException.isAway(cause) ? "Redis does not answer" : cause.getMessage());
	}

}
