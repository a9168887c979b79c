package io.redelay.queue.send;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;

import io.redelay.queue.limits.PartitionName;
import io.redelay.queue.message.NewMessage;
import io.redelay.queue.message.NextMessage;
import io.redelay.queue.message.OutboxNote;
import io.redelay.queue.partition.QueuePartitions;
import io.redelay.queue.request.LaneStatus;
import io.redelay.queue.request.RequestBatchers;
import io.redelay.queue.request.SendReply;
import io.redelay.queue.request.StoreException;
import io.redelay.queue.script.OutboxNoteHandler;
import io.redelay.queue.script.QueueScripts;
import io.redelay.queue.script.SendScripts;

/**
 * Sends the messages that wait in an outbox until the queue they go to has them. That
 * queue remembers their uids for {@link #WINDOW}, so that it skips a message that is sent
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

	private final RequestBatchers<NewMessage, SendReply> batchers;

	/**
	 * Creates a relay.
	 * @param store the store of the outboxes and of the queues
	 * @param settings how long queues may be
	 * @param partitions how many partitions they have
	 */
	public NextMessageRelay(QueueScripts store, SendSettings settings, QueuePartitions partitions) {
		this.batchers = new RequestBatchers<>((partition) -> store.sends()
			.protocol(partition, new SendScripts.Terms(MAX_WAITING, settings.limit(partition, partitions), WINDOW)),
				Long.MAX_VALUE, (partition) -> partitions.sentTo(PartitionName.queueOf(partition)),
				store.replayMemory());
	}

	@Override
	public char kind() {
		return NextMessage.KIND;
	}

	@Override
	public String target(OutboxNote note) {
		return NextMessage.queueOf(note);
	}

	@Override
	public CompletableFuture<Relayed> relay(String queue, List<OutboxNote> notes) {
		return Relayed.all(List.of(), notes.stream()
			.map((note) -> send(note)
				.handle((reply, failure) -> (failure != null) ? Relayed.failed(failure) : relayed(queue, note, reply)))
			.toList());
	}

	private static Relayed relayed(String queue, OutboxNote note, SendReply reply) {
		if (reply.status() == LaneStatus.OK) {
			return new Relayed(List.of(note), null);
		}
		SendReply.FullLine line = reply.fullLine();
		return new Relayed(List.of(), (line != null) ? line.why(queue) : "it is " + reply.status());
	}

	private CompletableFuture<SendReply> send(OutboxNote note) {
		try {
			NextMessage next = NextMessage.read(note);
			return this.batchers.submit(next.queue(), List.of(next.message()), true);
		}
		catch (RuntimeException ex) {
			return CompletableFuture.failedFuture(
					new StoreException("the note '" + note.id() + "' cannot be read: " + ex.getMessage(), ex));
		}
	}

}
