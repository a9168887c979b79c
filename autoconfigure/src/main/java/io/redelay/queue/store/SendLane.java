package io.redelay.queue.store;

import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;

import org.jspecify.annotations.Nullable;

/**
 * Sends to one queue, one request at a time. What comes while a request is on the wire
 * waits and goes together in the next one; what is given together goes together, all or
 * none.
 * <p>
 * Safe for use by many threads. Futures complete on threads that must not be blocked.
 *
 * @since 0.1.0
 */
public final class SendLane {

	private static final int MAX_MESSAGES = 1000;

	private static final int MAX_BYTES = 4 * 1024 * 1024;

	private final DelayQueueStore store;

	private final String queue;

	private final int maxWaiting;

	private final Deque<Group> waiting = new ArrayDeque<>();

	private int waitingMessages;

	private boolean onWire;

	private @Nullable String lane;

	private long seq;

	/**
	 * Creates a lane, which is opened when it is first used.
	 * @param store the store
	 * @param queue the queue
	 * @param maxWaiting how many messages wait at most while a request is on the wire;
	 * more are refused
	 */
	public SendLane(DelayQueueStore store, String queue, int maxWaiting) {
		this.store = store;
		this.queue = queue;
		this.maxWaiting = maxWaiting;
	}

	/**
	 * Sends messages, all or none.
	 * @param messages the messages
	 * @return what became of them
	 */
	public CompletableFuture<Sent> send(List<NewMessage> messages) {
		Group group = new Group(messages, new CompletableFuture<>());
		List<Group> trip;
		synchronized (this.waiting) {
			if (this.waitingMessages > 0 && this.waitingMessages + messages.size() > this.maxWaiting) {
				return CompletableFuture.failedFuture(
						new StoreException(this.waitingMessages + " messages already wait to be sent to the queue '"
								+ this.queue + "': Redis is slower than the senders", null));
			}
			this.waiting.add(group);
			this.waitingMessages += messages.size();
			trip = nextTrip();
		}
		depart(trip);
		return group.result();
	}

	private List<Group> nextTrip() {
		if (this.onWire) {
			return List.of();
		}
		List<Group> trip = new ArrayList<>();
		int messages = 0;
		long bytes = 0;
		for (Group next = this.waiting.peek(); next != null; next = this.waiting.peek()) {
			messages += next.messages().size();
			bytes += next.bytes();
			if (!trip.isEmpty() && (messages > MAX_MESSAGES || bytes > MAX_BYTES)) {
				break;
			}
			trip.add(this.waiting.remove());
			this.waitingMessages -= next.messages().size();
		}
		this.onWire = !trip.isEmpty();
		return trip;
	}

	private void depart(List<Group> trip) {
		if (trip.isEmpty()) {
			return;
		}
		request(trip).whenComplete((reply, failure) -> {
			List<Group> next;
			synchronized (this.waiting) {
				this.onWire = false;
				if (failure != null) {
					this.lane = null;
				}
				next = nextTrip();
			}
			depart(next);
			if (failure != null) {
				Throwable cause = (failure instanceof CompletionException && failure.getCause() != null)
						? failure.getCause() : failure;
				trip.forEach((group) -> group.result().completeExceptionally(cause));
			}
			else {
				deliver(trip, reply);
			}
		});
	}

	/**
	 * Sends a trip on the open lane, or on a new one if there is none or the store forgot
	 * it: a lane that is gone did nothing.
	 */
	private CompletableFuture<SendReply> request(List<Group> trip) {
		List<NewMessage> messages = (trip.size() == 1) ? trip.get(0).messages()
				: trip.stream().flatMap((group) -> group.messages().stream()).toList();
		String current = this.lane;
		if (current == null) {
			return requestOnNewLane(messages);
		}
		return send(current, messages).thenCompose((reply) -> (reply.status() == LaneStatus.GONE)
				? requestOnNewLane(messages) : CompletableFuture.completedFuture(reply));
	}

	private CompletableFuture<SendReply> requestOnNewLane(List<NewMessage> messages) {
		String opened = this.store.newLane();
		return this.store.register(this.queue)
			.thenCompose((registered) -> this.store.openSender(this.queue, opened))
			.thenCompose((open) -> {
				this.lane = opened;
				this.seq = 0;
				return send(opened, messages);
			});
	}

	private CompletableFuture<SendReply> send(String lane, List<NewMessage> messages) {
		this.seq++;
		return this.store.send(this.queue, new SendRequest(lane, this.seq, messages));
	}

	private void deliver(List<Group> trip, SendReply reply) {
		if (reply.status() != LaneStatus.OK) {
			StoreException failure = new StoreException(
					"The queue '" + this.queue + "' did not take a request of its lane: " + reply.status(), null);
			trip.forEach((group) -> group.result().completeExceptionally(failure));
			return;
		}
		int first = 0;
		for (Group group : trip) {
			int size = group.messages().size();
			group.result().complete(new Sent(reply.time(), slice(reply.duplicates(), first, size)));
			first += size;
		}
	}

	private static Map<Integer, SendReply.Duplicate> slice(Map<Integer, SendReply.Duplicate> duplicates, int first,
			int size) {
		if (duplicates.isEmpty()) {
			return duplicates;
		}
		Map<Integer, SendReply.Duplicate> slice = new HashMap<>();
		duplicates.forEach((position, duplicate) -> {
			if (position >= first && position < first + size) {
				slice.put(position - first, duplicate);
			}
		});
		return slice;
	}

	/**
	 * What became of messages that were sent together.
	 *
	 * @param time the store's clock when they were added
	 * @param duplicates those that were not added, by position
	 */
	public record Sent(Instant time, Map<Integer, SendReply.Duplicate> duplicates) {

	}

	private record Group(List<NewMessage> messages, CompletableFuture<Sent> result) {

		long bytes() {
			long bytes = 0;
			for (NewMessage message : this.messages) {
				bytes += message.envelope().length;
			}
			return bytes;
		}

	}

}
