package io.redelay.queue.event.engine;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;

import io.redelay.queue.event.QueueEvent;
import io.redelay.queue.event.engine.QueueChanges.Change;
import io.redelay.queue.script.admin.EventFeed;
import io.redelay.scheduling.Scheduler;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;

/**
 * Publishes this instance's changes of queues to its listeners, and writes them to the
 * feed for those of other instances, on one thread, in order.
 * <p>
 * Safe for use by many threads.
 */
final class ChangeEvents implements Consumer<Change> {

	/**
	 * Suffix to the name of an instance in the feed, for a batch of changes of queues.
	 */
	static final String SOURCE = "/queues";

	private static final Log logger = LogFactory.getLog(ChangeEvents.class);

	private static final int BATCH = 100;

	private static final Duration ANSWER = Duration.ofMinutes(1);

	private final QueueChanges changes;

	private final MoveBuffer<Change> buffer;

	private final DroppedMoves dropped;

	private final EventFeed feed;

	private final String source;

	private final String instance;

	private final EventJson json = new EventJson();

	private final List<Consumer<QueueEvent>> listeners = new CopyOnWriteArrayList<>();

	private final EventThread thread = new EventThread("redelay-queue-events-", this::run);

	private boolean attached;

	private volatile boolean writes;

	ChangeEvents(QueueChanges changes, int capacity, EventFeed feed, String source, String instance, Scheduler clock) {
		this.changes = changes;
		this.buffer = new MoveBuffer<>(capacity, clock);
		this.dropped = new DroppedMoves("listeners to changes of queues are too slow for 'redelay.events.buffer'",
				clock);
		this.feed = feed;
		this.source = source + SOURCE;
		this.instance = instance;
	}

	synchronized void add(Consumer<QueueEvent> listener) {
		this.listeners.add(listener);
		attach();
	}

	synchronized void remove(Consumer<QueueEvent> listener) {
		if (this.listeners.remove(listener) && this.listeners.isEmpty() && !this.writes) {
			this.changes.remove(this);
			this.attached = false;
		}
	}

	/**
	 * Begins to write to the feed.
	 */
	synchronized void write() {
		this.writes = true;
		attach();
	}

	private void attach() {
		if (!this.attached) {
			this.attached = true;
			this.changes.add(this);
		}
		this.thread.start();
	}

	@Override
	public void accept(Change change) {
		if (!this.buffer.add(change)) {
			this.dropped.log(this.buffer.dropped());
		}
	}

	long dropped() {
		return this.buffer.dropped();
	}

	/**
	 * Ends; events that wait are published and written within a time.
	 */
	void close(Duration limit) {
		this.changes.remove(this);
		this.buffer.close();
		this.thread.end(limit);
	}

	private void run() throws InterruptedException {
		MoveBuffer.Taken<Change> taken = this.buffer.take(BATCH, 0);
		while (!taken.moves().isEmpty()) {
			List<QueueEvent> events = taken.moves().stream().map((change) -> change.toEvent(this.instance)).toList();
			events.forEach(this::publish);
			if (this.writes) {
				write(taken.first(), events);
			}
			taken = this.buffer.take(BATCH, 0);
		}
	}

	private void publish(QueueEvent event) {
		for (Consumer<QueueEvent> listener : this.listeners) {
			try {
				listener.accept(event);
			}
			catch (Throwable ex) {
				logger.warn("A listener to changes of queues failed, which changes nothing for the queue: " + event,
						ex);
			}
		}
	}

	private void write(long first, List<QueueEvent> events) throws InterruptedException {
		try {
			this.feed.append(this.source, first, this.json.writeQueues(events))
				.get(ANSWER.toMillis(), TimeUnit.MILLISECONDS);
		}
		catch (ExecutionException | TimeoutException | RuntimeException ex) {
			logger.debug("Changes of queues could not be written to the feed: " + events, ex);
		}
	}

}
