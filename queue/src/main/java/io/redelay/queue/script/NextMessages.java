package io.redelay.queue.script;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

import io.redelay.delivery.HandledQueue;
import io.redelay.queue.message.Completion;
import io.redelay.queue.message.NextMessage;
import org.jspecify.annotations.Nullable;

/**
 * The messages that a handler sends with the acknowledgement of the messages it handles.
 * The next acknowledgement takes them, in a batch that of any message; without one they
 * are dropped.
 * <p>
 * Safe for use by many threads.
 *
 * @since 0.1.0
 */
public final class NextMessages implements HandledQueue {

	/**
	 * The greatest size of all messages sent with one acknowledgement.
	 */
	public static final long MAX_BYTES = 4_000_000;

	private final QueueScripts store;

	private final String queue;

	private @Nullable List<Added> added;

	private long bytes;

	/**
	 * How many of the messages that are handled are not settled.
	 */
	private int unsettled;

	private boolean ended;

	/**
	 * Creates an empty collection.
	 * @param store the store of what is handled
	 * @param queue the queue of what is handled
	 * @param handled how many messages are handled, none of them settled
	 */
	public NextMessages(QueueScripts store, String queue, int handled) {
		this.store = store;
		this.queue = queue;
		this.unsettled = handled;
	}

	@Override
	public String queue() {
		return this.queue;
	}

	/**
	 * Returns whether messages of a store can be sent together with the acknowledgement.
	 * @param other the store
	 * @return whether it is the store of the handled messages
	 */
	public boolean isOf(QueueScripts other) {
		return this.store == other;
	}

	/**
	 * Adds a message.
	 * @param message the message
	 * @param listener called once with whether it is sent; must be quick, and not block
	 * @throws IllegalStateException if all handled messages are settled, or if all would
	 * be too large
	 */
	public synchronized void add(NextMessage message, Consumer<Boolean> listener) {
		if (this.ended) {
			throw new IllegalStateException("the message that is handled has been settled before, or its handling has "
					+ "failed; send it before, or without inDelivery");
		}
		List<Added> present = (this.added != null) ? this.added : new ArrayList<>();
		if (this.bytes + message.size() > MAX_BYTES && !present.isEmpty()) {
			throw new IllegalStateException("all messages that are sent with one acknowledgement would have more than "
					+ MAX_BYTES + " bytes; send references to the data, or fewer messages");
		}
		this.bytes += message.size();
		present.add(new Added(message, listener));
		this.added = present;
	}

	/**
	 * Records that one of the handled messages is settled. After the last one, added
	 * messages are refused.
	 * @param sends whether it is acknowledged, so that it takes the messages
	 * @return the completion of its acknowledgement, or {@code null} if there is none
	 */
	public synchronized @Nullable Completion settled(boolean sends) {
		this.unsettled--;
		this.ended = this.ended || this.unsettled <= 0;
		List<Added> sent = this.added;
		if (!sends || sent == null) {
			return null;
		}
		clear();
		return new Completion(sent.stream().map(Added::message).toList(),
				(counted) -> sent.forEach((each) -> each.listener.accept(counted)));
	}

	/**
	 * Drops the messages: the handling has failed.
	 * @param again whether an error handler still handles the message, so that others may
	 * be added
	 */
	public void drop(boolean again) {
		List<Added> dropped;
		synchronized (this) {
			this.ended = this.ended || !again;
			dropped = this.added;
			clear();
		}
		if (dropped != null) {
			dropped.forEach((each) -> each.listener.accept(false));
		}
	}

	private void clear() {
		this.added = null;
		this.bytes = 0;
	}

	private record Added(NextMessage message, Consumer<Boolean> listener) {

	}

}
