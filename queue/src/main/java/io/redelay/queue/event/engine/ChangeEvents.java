package io.redelay.queue.event.engine;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;

import io.redelay.log.PlainLog;
import io.redelay.queue.event.QueueEvent;
import io.redelay.queue.limits.PartitionName;
import io.redelay.queue.request.LaneStatus;
import io.redelay.queue.script.CommandReply;
import io.redelay.queue.script.MessageCommand;
import io.redelay.queue.script.ScriptCall;
import io.redelay.queue.script.ScriptObserver;
import io.redelay.queue.script.ScriptObservers;
import io.redelay.queue.script.admin.EventFeed;
import io.redelay.scheduling.Scheduler;
import org.apache.commons.logging.Log;
import org.jspecify.annotations.Nullable;

/**
 * Publishes this instance's changes of queues to its listeners, and writes them to the
 * feed for those of other instances, on one thread, in order.
 * <p>
 * Safe for use by many threads.
 */
final class ChangeEvents extends MoveBuffer<QueueEvent> implements ScriptObserver {

	/**
	 * Suffix to the name of an instance in the feed, for a batch of changes of queues.
	 */
	static final String SOURCE = "/queues";

	private static final Log logger = PlainLog.of(ChangeEvents.class);

	private static final int BATCH = 100;

	private static final Duration ANSWER = Duration.ofMinutes(1);

	private final ScriptObservers observers;

	private final EventFeed feed;

	private final String source;

	private final String instance;

	private final EventJson json = new EventJson();

	private final List<Consumer<QueueEvent>> listeners = new CopyOnWriteArrayList<>();

	private boolean attached;

	private volatile boolean writes;

	ChangeEvents(ScriptObservers observers, EventFeed feed, String source, EventSettings settings, Scheduler clock) {
		super("redelay-queue-events-", settings.buffer(), BATCH, Duration.ZERO,
				"listeners to changes of queues are too slow for 'redelay.events.buffer'", clock);
		this.observers = observers;
		this.feed = feed;
		this.source = source + SOURCE;
		this.instance = settings.instance();
	}

	synchronized void add(Consumer<QueueEvent> listener) {
		this.listeners.add(listener);
		attach();
	}

	synchronized void remove(Consumer<QueueEvent> listener) {
		if (this.listeners.remove(listener) && this.listeners.isEmpty() && !this.writes) {
			detach();
		}
	}

	/**
	 * Begins to write to the feed.
	 */
	synchronized void write() {
		this.writes = true;
		attach();
	}

	private synchronized void detach() {
		this.observers.remove(this);
		this.attached = false;
	}

	private void attach() {
		if (!this.attached) {
			this.attached = true;
			this.observers.add(this);
		}
		start();
	}

	@Override
	synchronized void open() {
		super.open();
		if (this.writes || !this.listeners.isEmpty()) {
			attach();
		}
	}

	@Override
	void close(Duration limit) {
		detach();
		super.close(limit);
	}

	@Override
	public boolean needsChanges() {
		return true;
	}

	/**
	 * Publishes changes of flags. A flag is changed in all partitions; only the change of
	 * the first one is published.
	 */
	@Override
	public void called(ScriptCall call) {
		if (call instanceof ScriptCall.Steer steer && steer.reply().status() == LaneStatus.OK
				&& !PartitionName.isFurther(steer.queue())) {
			List<CommandReply.Result> results = steer.reply().results();
			for (int i = 0; i < results.size(); i++) {
				MessageCommand command = steer.commands().get(i);
				if (command.action() == MessageCommand.Action.FLAG
						&& results.get(i).outcome() == CommandReply.Result.Outcome.DONE) {
					changed(flagged(command), steer.queue(), steer.reply().time(), 0, null);
				}
			}
		}
	}

	private static QueueEvent.Type flagged(MessageCommand command) {
		boolean set = !command.argument().isEmpty();
		if (command.name().equals("paused")) {
			return set ? QueueEvent.Type.PAUSED : QueueEvent.Type.RESUMED;
		}
		return set ? QueueEvent.Type.CLOSED : QueueEvent.Type.REOPENED;
	}

	@Override
	public void changed(QueueEvent.Type type, String queue, Instant time, long messages, @Nullable String detail) {
		accept(new QueueEvent(type, queue, time, messages, detail, this.instance));
	}

	@Override
	void deliver(long first, List<QueueEvent> events) throws InterruptedException {
		events.forEach((event) -> publish(this.listeners, event, (ex) -> logger
			.warn("A listener to changes of queues failed, which changes nothing for the queue: " + event, ex)));
		if (this.writes) {
			write(first, events);
		}
	}

	private void write(long first, List<QueueEvent> events) throws InterruptedException {
		try {
			this.feed.append(this.source, first, this.json.write(events)).get(ANSWER.toMillis(), TimeUnit.MILLISECONDS);
		}
		catch (ExecutionException | TimeoutException | RuntimeException ex) {
			logger.debug("Changes of queues could not be written to the feed: " + events, ex);
		}
	}

}
