package io.redelay.queue.event.engine;

import java.time.Instant;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;

import io.redelay.queue.event.QueueEvent;
import org.jspecify.annotations.Nullable;

/**
 * Passes the changes of queues to all registered sinks.
 * <p>
 * Safe for use by many threads.
 */
final class QueueChanges {

	private final List<Consumer<Change>> sinks = new CopyOnWriteArrayList<>();

	void add(Consumer<Change> sink) {
		this.sinks.add(sink);
	}

	void remove(Consumer<Change> sink) {
		this.sinks.remove(sink);
	}

	boolean isListening() {
		return !this.sinks.isEmpty();
	}

	void publish(Change change) {
		this.sinks.forEach((sink) -> sink.accept(change));
	}

	/**
	 * A change of a queue.
	 */
	record Change(QueueEvent.Type type, String queue, Instant time, long messages, @Nullable String detail) {

		QueueEvent toEvent(String instance) {
			return new QueueEvent(this.type, this.queue, this.time, this.messages, this.detail, instance);
		}

	}

}
