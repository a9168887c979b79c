package io.redelay.queue.event.engine;

import java.time.Duration;
import java.util.function.Consumer;

import io.redelay.queue.event.MessageEvent;
import io.redelay.queue.event.MessageEventBatch;
import io.redelay.queue.event.QueueEvent;
import io.redelay.queue.event.QueueEvents;
import io.redelay.queue.message.FailedAttemptCodec;
import io.redelay.queue.script.ScriptObservers;
import io.redelay.queue.script.admin.EventFeed;
import io.redelay.scheduling.Scheduler;
import tools.jackson.databind.json.JsonMapper;

import org.springframework.context.ApplicationContext;
import org.springframework.context.SmartLifecycle;

/**
 * Publishes what happens to messages, as long as there are listeners to events. It starts
 * before the listeners to queues and stops after them.
 *
 * @since 0.1.0
 */
public final class QueueEventsTemplate implements QueueEvents, SmartLifecycle {

	/**
	 * How long a stop waits for events to be published or written.
	 */
	private static final Duration STOP = Duration.ofSeconds(1);

	private final ApplicationContext context;

	private final LocalEvents local;

	private final ChangeEvents changes;

	private final FeedWriter writer;

	private final FeedReader reader;

	private final boolean writesFeed;

	private volatile boolean running;

	private volatile boolean stopped;

	/**
	 * Creates it.
	 * @param context the context whose listeners get the events
	 * @param observers the observers of calls, to which those of events are added
	 * @param feed the feed of all instances
	 * @param source the name of this instance in the store
	 * @param settings the settings of events
	 * @param clock the clock
	 */
	public QueueEventsTemplate(ApplicationContext context, ScriptObservers observers, EventFeed feed, String source,
			EventSettings settings, Scheduler clock) {
		this.context = context;
		MessageTransitions moves = new MessageTransitions(observers);
		FailedAttemptCodec codec = new FailedAttemptCodec(JsonMapper.shared());
		this.local = new LocalEvents(moves, settings, codec, clock);
		this.writer = new FeedWriter(moves, feed, source, settings, codec, clock);
		this.changes = new ChangeEvents(observers, feed, source, settings, clock);
		this.reader = new FeedReader(feed, settings.interval(), source);
		this.writesFeed = settings.feed();
	}

	@Override
	public Subscription subscribe(Consumer<MessageEvent> listener) {
		return subscribe(listener, this.local::add, this.local::remove);
	}

	@Override
	public Subscription subscribeToFeed(Consumer<MessageEventBatch> listener) {
		return subscribe(listener, this.reader::add, this.reader::remove);
	}

	@Override
	public Subscription subscribeToQueues(Consumer<QueueEvent> listener) {
		return subscribe(listener, this::addToQueues, (own) -> {
			this.changes.remove(own);
			this.reader.remove(own);
		});
	}

	private static <T> Subscription subscribe(Consumer<T> listener, Consumer<Consumer<T>> add,
			Consumer<Consumer<T>> remove) {
		@SuppressWarnings("UnnecessaryMethodReference") // a listener may subscribe twice
		Consumer<T> own = listener::accept;
		add.accept(own);
		return () -> remove.accept(own);
	}

	private void addToQueues(Consumer<QueueEvent> listener) {
		this.changes.add(listener);
		this.reader.addQueues(listener);
	}

	@Override
	public long dropped() {
		return this.local.dropped() + this.changes.dropped();
	}

	@Override
	public long droppedFromFeed() {
		return this.writer.dropped();
	}

	@Override
	public void start() {
		this.running = true;
		if (this.stopped) {
			this.stopped = false;
			this.local.open();
			this.changes.open();
			this.writer.open();
			this.reader.open();
		}
		else {
			addListeners();
		}
		if (this.writesFeed) {
			this.changes.write();
			this.writer.start();
		}
	}

	private void addListeners() {
		EventListeners listeners = new EventListeners(this.context);
		if (listeners.areThereFor(MessageEvent.class)) {
			this.local.add(this.context::publishEvent);
		}
		if (listeners.areThereFor(MessageEventBatch.class)) {
			this.reader.add(this.context::publishEvent);
		}
		if (listeners.areThereFor(QueueEvent.class)) {
			addToQueues(this.context::publishEvent);
		}
	}

	@Override
	public void stop() {
		this.running = false;
		this.stopped = true;
		this.local.close(STOP);
		this.changes.close(STOP);
		this.writer.close(STOP);
		this.reader.close(STOP);
	}

	@Override
	public boolean isRunning() {
		return this.running;
	}

	/**
	 * Stops last of all that uses Redis, but before its connections and threads.
	 */
	@Override
	public int getPhase() {
		return Integer.MIN_VALUE + 2;
	}

}
