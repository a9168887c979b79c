package io.redelay.queue.event.engine;

import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;

import io.redelay.log.PlainLog;
import io.redelay.queue.event.MessageEvent;
import io.redelay.queue.event.MessageEventBatch;
import io.redelay.queue.event.QueueEvent;
import io.redelay.queue.script.admin.EventFeed;
import org.apache.commons.logging.Log;
import org.jspecify.annotations.Nullable;

/**
 * Reads the feed while it has listeners, and calls them on one thread. It does not read
 * while listeners run; events that the feed drops meanwhile are missing.
 * <p>
 * Safe for use by many threads.
 */
final class FeedReader {

	private static final Log logger = PlainLog.of(FeedReader.class);

	/**
	 * Of how many instances the next number is remembered.
	 */
	private static final int MAX_SOURCES = 1000;

	private static final Duration ANSWER = Duration.ofMinutes(1);

	private final EventFeed feed;

	private final Duration interval;

	private final EventJson json = new EventJson();

	private final List<Consumer<MessageEventBatch>> listeners = new CopyOnWriteArrayList<>();

	private final List<Consumer<QueueEvent>> queueListeners = new CopyOnWriteArrayList<>();

	private final String source;

	private volatile CountDownLatch closed = new CountDownLatch(1);

	/**
	 * Where the first listener begins: after the last entry of the feed when it was
	 * added.
	 */
	private volatile @Nullable CompletableFuture<EventFeed.Page> begin;

	/**
	 * The number of the next event of each instance.
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
	 * @param source the name of this instance, whose own changes of queues are skipped:
	 * they are published without the feed
	 */
	FeedReader(EventFeed feed, Duration interval, String source) {
		this.feed = feed;
		this.source = source;
		this.interval = interval;
	}

	synchronized void add(Consumer<MessageEventBatch> listener) {
		add(this.listeners, listener);
	}

	private <T> void add(List<Consumer<T>> listeners, Consumer<T> listener) {
		if (isIdle()) {
			this.begin = ask("");
		}
		listeners.add(listener);
		this.thread.start();
	}

	private boolean isIdle() {
		return this.listeners.isEmpty() && this.queueListeners.isEmpty();
	}

	synchronized void addQueues(Consumer<QueueEvent> listener) {
		add(this.queueListeners, listener);
	}

	synchronized void remove(Consumer<?> listener) {
		this.listeners.remove(listener);
		this.queueListeners.remove(listener);
	}

	/**
	 * Reads again after {@link #close}, from where the feed ends by then.
	 */
	synchronized void open() {
		this.closed = new CountDownLatch(1);
		this.thread.reopen();
		if (!isIdle()) {
			this.begin = ask("");
			this.thread.start();
		}
	}

	void close(Duration limit) {
		this.closed.countDown();
		this.thread.end(limit);
	}

	private void run() throws InterruptedException {
		CompletableFuture<EventFeed.Page> begun = null;
		String last = "";
		boolean more = false;
		CountDownLatch closed = this.closed;
		while (more || !closed.await(this.interval.toMillis(), TimeUnit.MILLISECONDS)) {
			more = false;
			CompletableFuture<EventFeed.Page> from = this.begin;
			if (isIdle() || from == null) {
				continue;
			}
			boolean begins = from != begun;
			EventFeed.Page page = answer(begins ? from : ask(last));
			if (page != null) {
				begun = from;
				last = page.last();
				page.batches().forEach(this::deliver);
				more = (begins || !page.batches().isEmpty()) && closed.getCount() > 0;
			}
			else if (begins) {
				beginAgain(from);
			}
		}
	}

	/**
	 * Asks once more where to begin, unless a new first listener was added meanwhile.
	 */
	private synchronized void beginAgain(CompletableFuture<EventFeed.Page> failed) {
		if (this.begin == failed) {
			this.begin = ask("");
		}
	}

	private CompletableFuture<EventFeed.Page> ask(String after) {
		try {
			return this.feed.read(after);
		}
		catch (RuntimeException ex) {
			return CompletableFuture.failedFuture(ex);
		}
	}

	private EventFeed.@Nullable Page answer(CompletableFuture<EventFeed.Page> page) throws InterruptedException {
		try {
			return page.get(ANSWER.toMillis(), TimeUnit.MILLISECONDS);
		}
		catch (ExecutionException | TimeoutException | RuntimeException ex) {
			logger.debug("The feed of events could not be read, which is tried again", ex);
			return null;
		}
	}

	private void deliver(EventFeed.Batch batch) {
		if (batch.source().endsWith(ChangeEvents.SOURCE)) {
			List<QueueEvent> changes = this.json.read(batch.events(), EventJson.QUEUES, QueueEvent::type);
			if (missed(batch, changes) >= 0 && !batch.source().equals(this.source + ChangeEvents.SOURCE)) {
				Objects.requireNonNull(changes).forEach((change) -> deliver(this.queueListeners, change));
			}
			return;
		}
		List<MessageEvent> events = this.json.read(batch.events(), EventJson.EVENTS, MessageEvent::type);
		long missed = missed(batch, events);
		if (missed >= 0) {
			deliver(this.listeners,
					new MessageEventBatch(Objects.requireNonNull(events).get(0).instance(), events, missed));
		}
	}

	/**
	 * Returns how many events are missing before a batch, or -1 if it is skipped: it was
	 * written twice, or a later version wrote it.
	 */
	private long missed(EventFeed.Batch batch, @Nullable List<?> events) {
		Long expected = this.next.get(batch.source());
		if (events == null || events.isEmpty() || (expected != null && batch.first() < expected)) {
			return -1;
		}
		this.next.put(batch.source(), batch.first() + events.size());
		return (expected != null) ? batch.first() - expected : 0;
	}

	private static <T> void deliver(List<Consumer<T>> listeners, T event) {
		MoveBuffer.publish(listeners, event, (ex) -> logger
			.warn("A listener to the feed of events failed, which changes nothing for the others", ex));
	}

}
