package io.redelay.queue.event;

import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;

import io.redelay.queue.MessageEvent;
import io.redelay.queue.MessageEventBatch;
import io.redelay.queue.QueueEvent;
import io.redelay.queue.store.EventFeed;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

/**
 * Reads the feed while somebody listens to it, and tells on one thread. It reads no more
 * while listeners are at work, so what is missing is what the feed did not keep
 * meanwhile.
 * <p>
 * Safe for use by many threads.
 */
final class FeedReader {

	private static final Log logger = LogFactory.getLog(FeedReader.class);

	/**
	 * Of how many instances the last number is remembered.
	 */
	private static final int MAX_SOURCES = 1000;

	private static final Duration ANSWER = Duration.ofMinutes(1);

	private final EventFeed feed;

	private final Duration interval;

	private final EventJson json = new EventJson();

	private final List<Consumer<MessageEventBatch>> listeners = new CopyOnWriteArrayList<>();

	private final List<Consumer<QueueEvent>> queueListeners = new CopyOnWriteArrayList<>();

	private final String source;

	private final CountDownLatch closed = new CountDownLatch(1);

	/**
	 * The number of the next event, by whose it is.
	 */
	private final Map<String, Long> next = new LinkedHashMap<>() {

		@Override
		protected boolean removeEldestEntry(Map.Entry<String, Long> eldest) {
			return size() > MAX_SOURCES;
		}

	};

	private final EventThread thread = new EventThread("redelay-event-reader-", this::run);

	/**
	 * Creates a reader.
	 * @param source the name of this instance, whose own changes of queues are passed
	 * over: they are told without the feed
	 */
	FeedReader(EventFeed feed, Duration interval, String source) {
		this.feed = feed;
		this.source = source;
		this.interval = interval;
	}

	void add(Consumer<MessageEventBatch> listener) {
		this.listeners.add(listener);
		this.thread.start();
	}

	void remove(Consumer<MessageEventBatch> listener) {
		this.listeners.remove(listener);
	}

	void addQueues(Consumer<QueueEvent> listener) {
		this.queueListeners.add(listener);
		this.thread.start();
	}

	void removeQueues(Consumer<QueueEvent> listener) {
		this.queueListeners.remove(listener);
	}

	void close(Duration limit) {
		this.closed.countDown();
		this.thread.end(limit);
	}

	private void run() throws InterruptedException {
		String last = "";
		boolean more = false;
		while (more || !this.closed.await(this.interval.toMillis(), TimeUnit.MILLISECONDS)) {
			more = false;
			if (this.listeners.isEmpty() && this.queueListeners.isEmpty()) {
				last = "";
				continue;
			}
			EventFeed.Page page = read(last);
			if (page != null) {
				last = page.last();
				page.batches().forEach(this::tell);
				more = !page.batches().isEmpty() && this.closed.getCount() > 0;
			}
		}
	}

	private EventFeed.@Nullable Page read(String last) throws InterruptedException {
		try {
			return this.feed.read(last).get(ANSWER.toMillis(), TimeUnit.MILLISECONDS);
		}
		catch (ExecutionException | TimeoutException | RuntimeException ex) {
			logger.debug("The feed of events could not be read, which is tried again", ex);
			return null;
		}
	}

	private void tell(EventFeed.Batch batch) {
		if (batch.source().endsWith(ChangeEvents.SOURCE)) {
			List<QueueEvent> changes = this.json.readQueues(batch.events());
			if (missed(batch, changes) >= 0 && !batch.source().equals(this.source + ChangeEvents.SOURCE)) {
				Objects.requireNonNull(changes).forEach((change) -> tell(this.queueListeners, change));
			}
			return;
		}
		List<MessageEvent> events = this.json.read(batch.events());
		long missed = missed(batch, events);
		if (missed >= 0) {
			tell(this.listeners,
					new MessageEventBatch(Objects.requireNonNull(events).get(0).instance(), events, missed));
		}
	}

	/**
	 * Returns how many events are missing before a batch, or -1 if it is not to be told:
	 * it was written twice, or a later version wrote it.
	 */
	private long missed(EventFeed.Batch batch, @Nullable List<?> events) {
		Long expected = this.next.get(batch.source());
		if (events == null || events.isEmpty() || (expected != null && batch.first() < expected)) {
			return -1;
		}
		this.next.put(batch.source(), batch.first() + events.size());
		return (expected != null) ? batch.first() - expected : 0;
	}

	private static <T> void tell(List<Consumer<T>> listeners, T told) {
		for (Consumer<T> listener : listeners) {
			try {
				listener.accept(told);
			}
			catch (Throwable ex) {
				logger.warn("A listener to the feed of events failed, which changes nothing for the others", ex);
			}
		}
	}

}
