package io.redelay.queue.event.engine;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;

import io.redelay.log.PlainLog;
import io.redelay.queue.event.MessageEvent;
import io.redelay.queue.message.FailedAttemptCodec;
import io.redelay.scheduling.Scheduler;
import org.apache.commons.logging.Log;

/**
 * Publishes the moves of this instance to its listeners, on one thread, in order.
 * <p>
 * Safe for use by many threads.
 */
final class LocalEvents extends MoveBuffer<Move> {

	private static final Log logger = PlainLog.of(LocalEvents.class);

	private static final int BATCH = 100;

	private final MessageTransitions moves;

	private final FailedAttemptCodec codec;

	private final String instance;

	private final List<Consumer<MessageEvent>> listeners = new CopyOnWriteArrayList<>();

	private boolean attached;

	LocalEvents(MessageTransitions moves, EventSettings settings, FailedAttemptCodec codec, Scheduler clock) {
		super("redelay-events-", settings.buffer(), BATCH, Duration.ZERO,
				"listeners of this instance are too slow for 'redelay.events.buffer'", clock);
		this.moves = moves;
		this.codec = codec;
		this.instance = settings.instance();
	}

	synchronized void add(Consumer<MessageEvent> listener) {
		this.listeners.add(listener);
		attach();
	}

	synchronized void remove(Consumer<MessageEvent> listener) {
		if (this.listeners.remove(listener) && this.listeners.isEmpty()) {
			detach();
		}
	}

	private void attach() {
		if (!this.attached) {
			this.attached = true;
			this.moves.add(this);
		}
		start();
	}

	private synchronized void detach() {
		this.moves.remove(this);
		this.attached = false;
	}

	@Override
	synchronized void open() {
		super.open();
		if (!this.listeners.isEmpty()) {
			attach();
		}
	}

	@Override
	void close(Duration limit) {
		detach();
		super.close(limit);
	}

	@Override
	void deliver(long first, List<Move> moves) {
		for (Move move : moves) {
			MessageEvent event = move.toEvent(this.codec, this.instance);
			publish(this.listeners, event, (ex) -> logger
				.warn("A listener to events of messages failed, which changes nothing for the message: " + event, ex));
		}
	}

}
