package io.redelay.queue.event.engine;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;

import io.redelay.queue.event.MessageEvent;
import io.redelay.queue.message.FailedAttemptCodec;
import io.redelay.scheduling.Scheduler;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;

/**
 * Publishes the moves of this instance to its listeners, on one thread, in order.
 * <p>
 * Safe for use by many threads.
 */
final class LocalEvents implements Consumer<Move> {

	private static final Log logger = LogFactory.getLog(LocalEvents.class);

	private static final int BATCH = 100;

	private final MessageTransitions moves;

	private final MoveBuffer<Move> buffer;

	private final FailedAttemptCodec codec;

	private final String instance;

	private final DroppedMoves dropped;

	private final List<Consumer<MessageEvent>> listeners = new CopyOnWriteArrayList<>();

	private final EventThread thread = new EventThread("redelay-events-", this::run);

	LocalEvents(MessageTransitions moves, int capacity, FailedAttemptCodec codec, String instance, Scheduler clock) {
		this.moves = moves;
		this.buffer = new MoveBuffer<>(capacity, clock);
		this.dropped = new DroppedMoves("listeners of this instance are too slow for 'redelay.events.buffer'", clock);
		this.codec = codec;
		this.instance = instance;
	}

	synchronized void add(Consumer<MessageEvent> listener) {
		this.listeners.add(listener);
		if (this.listeners.size() == 1) {
			this.moves.add(this);
		}
		this.thread.start();
	}

	synchronized void remove(Consumer<MessageEvent> listener) {
		if (this.listeners.remove(listener) && this.listeners.isEmpty()) {
			this.moves.remove(this);
		}
	}

	@Override
	public void accept(Move move) {
		if (!this.buffer.add(move)) {
			this.dropped.log(this.buffer.dropped());
		}
	}

	long dropped() {
		return this.buffer.dropped();
	}

	/**
	 * Ends; events that wait are published within a time.
	 */
	void close(Duration limit) {
		this.moves.remove(this);
		this.buffer.close();
		this.thread.end(limit);
	}

	private void run() throws InterruptedException {
		List<Move> taken = this.buffer.take(BATCH, 0).moves();
		while (!taken.isEmpty()) {
			taken.forEach((move) -> publish(move.toEvent(this.codec, this.instance)));
			taken = this.buffer.take(BATCH, 0).moves();
		}
	}

	private void publish(MessageEvent event) {
		for (Consumer<MessageEvent> listener : this.listeners) {
			try {
				listener.accept(event);
			}
			catch (Throwable ex) {
				logger.warn("A listener to events of messages failed, which changes nothing for the message: " + event,
						ex);
			}
		}
	}

}
