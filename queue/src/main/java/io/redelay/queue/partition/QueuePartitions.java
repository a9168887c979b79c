package io.redelay.queue.partition;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.IntStream;

import io.redelay.log.PlainLog;
import io.redelay.queue.limits.PartitionName;
import io.redelay.queue.message.LimitWords;
import io.redelay.queue.message.StoredLimits;
import io.redelay.queue.script.MessageCommand;
import io.redelay.queue.script.admin.AdminScripts;
import io.redelay.queue.script.admin.CountScript;
import io.redelay.queue.script.admin.PartitionsKey;
import io.redelay.scheduling.ScheduledTask;
import io.redelay.scheduling.Scheduler;
import org.apache.commons.logging.Log;
import org.jspecify.annotations.Nullable;

/**
 * Knows how many partitions the queues of a server have. A configured number that is
 * larger than the one in Redis is written there before the first message is sent. A
 * number that another instance raised is read within an interval, once a caller
 * {@linkplain #watch() watches}.
 * <p>
 * Safe for use by many threads. Futures complete on threads that must not be blocked.
 *
 * @since 0.1.0
 */
public final class QueuePartitions implements AutoCloseable {

	private static final Log logger = PlainLog.of(QueuePartitions.class);

	private static final CompletableFuture<Void> READY = CompletableFuture.completedFuture(null);

	/**
	 * How many queues that are only sent to are remembered: for further ones nothing is
	 * logged if they have more partitions than are configured here.
	 */
	private static final int MAX_SENT_TO = 1000;

	/**
	 * How many warnings about partitions are remembered, so that each is logged once.
	 */
	private static final int MAX_LOGGED = 10_000;

	private final AdminScripts store;

	private final Map<String, Settings> configured;

	private final Scheduler scheduler;

	private final Duration interval;

	/**
	 * The queues that this instance listens or sends to.
	 */
	private final Set<String> used = ConcurrentHashMap.newKeySet();

	/**
	 * Those of them that it listens to.
	 */
	private final Set<String> listenedTo = ConcurrentHashMap.newKeySet();

	private final List<Runnable> listeners = new CopyOnWriteArrayList<>();

	private final Set<String> logged = ConcurrentHashMap.newKeySet();

	private volatile Map<String, PartitionsKey.Layout> layouts = Map.of();

	/**
	 * Completed when Redis has answered, or {@code null} if it was not asked yet.
	 */
	private @Nullable CompletableFuture<Void> loading;

	private volatile boolean loaded;

	private volatile long askedNanos;

	private volatile boolean asked;

	private volatile boolean mayHaveGoneBack;

	private volatile boolean watching;

	private boolean closed;

	private @Nullable ScheduledTask poll;

	/**
	 * Creates it; nothing is asked yet.
	 * @param store knows what is in Redis
	 * @param configured what is configured here, by queue
	 * @param scheduler when to ask again
	 * @param interval how often
	 */
	public QueuePartitions(AdminScripts store, Map<String, Settings> configured, Scheduler scheduler,
			Duration interval) {
		this.store = store;
		this.configured = Map.copyOf(configured);
		this.scheduler = scheduler;
		this.interval = interval;
	}

	/**
	 * Begins to ask regularly, unless it does already.
	 */
	public void watch() {
		if (this.watching) {
			return;
		}
		beginToWatch();
		ready().exceptionally((failure) -> null);
	}

	private synchronized void beginToWatch() {
		if (!this.watching && !this.closed) {
			this.poll = this.scheduler.repeat(this::look, this.interval, this.interval);
			this.watching = this.poll != null;
		}
	}

	/**
	 * Notes that this instance sends to a queue. It watches if several partitions of it
	 * are configured.
	 * @param queue the queue
	 */
	public void sentTo(String queue) {
		if (this.used.size() < MAX_SENT_TO) {
			this.used.add(queue);
		}
		if (configured(queue) > 1) {
			watch();
		}
	}

	/**
	 * Asks Redis, unless it was asked within an interval, and does not wait for that.
	 */
	public void refresh() {
		if (!isFresh()) {
			look();
		}
	}

	/**
	 * Asks Redis, which may have gone back in time: partitions that it has forgotten and
	 * that are known here are written again, so that messages of a key stay in one
	 * partition. An instance that only reads takes what Redis says.
	 */
	public void askAgain() {
		if (this.loaded && !this.store.runner().isReading()) {
			this.mayHaveGoneBack = true;
			look();
		}
	}

	@Override
	public synchronized void close() {
		this.closed = true;
		if (this.poll != null) {
			this.poll.cancel();
		}
	}

	/**
	 * Has a listener called when the number of partitions changes.
	 * @param queues the queues that are listened to
	 * @param listener is called on a thread of its own
	 */
	public void subscribe(Set<String> queues, Runnable listener) {
		this.used.addAll(queues);
		this.listenedTo.addAll(queues);
		this.listeners.add(listener);
		watch();
	}

	/**
	 * Removes a listener.
	 * @param listener the listener
	 */
	public void unsubscribe(Runnable listener) {
		this.listeners.remove(listener);
	}

	/**
	 * Whether this instance listens to a queue, or has done so.
	 * @param queue the queue
	 * @return whether it has
	 */
	public boolean isListenedTo(String queue) {
		return this.listenedTo.contains(queue);
	}

	/**
	 * Returns the queues that this instance listens to, or has listened to.
	 * @return their names
	 */
	public Set<String> listenedTo() {
		return Set.copyOf(this.listenedTo);
	}

	/**
	 * Over how many partitions this instance spreads messages without a key.
	 * @param queue the queue
	 * @return what is configured, 1 by default
	 */
	public int configured(String queue) {
		return this.configured.getOrDefault(queue, Settings.SINGLE).partitions();
	}

	/**
	 * Whether messages with a priority may be sent to a queue.
	 * @param queue the queue
	 * @return whether it has one partition here, or priorities within each partition will
	 * do
	 */
	public boolean mayHavePriorities(String queue) {
		Settings settings = this.configured.getOrDefault(queue, Settings.SINGLE);
		return settings.partitions() == 1 || settings.priorityPerPartition();
	}

	/**
	 * Whether the numbers in Redis are known, so that messages can be sent.
	 * @return whether {@link #ready()} need not be waited for
	 */
	public boolean isReady() {
		return this.loaded;
	}

	/**
	 * Asks Redis, unless that was done, and writes there what is configured here.
	 * @return completes when that is done
	 */
	public CompletableFuture<Void> ready() {
		if (this.loaded) {
			return READY;
		}
		return load();
	}

	private synchronized CompletableFuture<Void> load() {
		CompletableFuture<Void> running = this.loading;
		if (running != null && !running.isDone()) {
			return running;
		}
		this.askedNanos = this.scheduler.nanoTime();
		this.asked = true;
		CompletableFuture<Void> started = ask();
		this.loading = started;
		return started;
	}

	/**
	 * The partitions that a queue has, as far as is known here.
	 * @param queue the queue
	 * @return the names that the store has for them, the first one first
	 */
	public List<String> of(String queue) {
		int partitions = Math.max(configured(queue), layout(queue).partitions());
		return (partitions == 1) ? List.of(queue)
				: IntStream.range(0, partitions).mapToObj((index) -> PartitionName.of(queue, index)).toList();
	}

	/**
	 * The partitions that a queue has, asked for if that was not done within an interval.
	 * @param queue the queue
	 * @return the names that the store has for them, the first one first
	 */
	public CompletableFuture<List<String>> ask(String queue) {
		return ((isFresh() && this.loaded) ? READY : load()).thenApply((asked) -> of(queue));
	}

	/**
	 * Whether Redis was asked within an interval.
	 */
	private boolean isFresh() {
		return this.asked && this.scheduler.nanoTime() - this.askedNanos < this.interval.toNanos();
	}

	/**
	 * What is known of a queue.
	 * @param queue the queue
	 * @return how many partitions it has, and over how many keys are spread
	 */
	public PartitionsKey.Layout layout(String queue) {
		return this.layouts.getOrDefault(queue, PartitionsKey.Layout.SINGLE);
	}

	/**
	 * The partition of the messages that have a key.
	 * @param queue the queue
	 * @param key the key
	 * @return the name that the store has for it
	 */
	public String ofKey(String queue, String key) {
		return PartitionName.ofKey(queue, key, layout(queue).keyed());
	}

	/**
	 * Spreads keys over as many partitions as are configured here. Only for a queue that
	 * is closed and has no living messages.
	 * @param queue the queue
	 * @param forgetOthers whether to forget further partitions, which must have no dead
	 * messages either
	 * @return completes when Redis knows; other instances learn of it within an interval
	 */
	public CompletableFuture<Void> settle(String queue, boolean forgetOthers) {
		int number = configured(queue);
		PartitionsKey.Layout wanted = new PartitionsKey.Layout(
				forgetOthers ? number : Math.max(number, layout(queue).partitions()), number);
		if (layout(queue).equals(wanted)) {
			return READY;
		}
		return new PartitionsKey(this.store.runner()).set(queue, wanted).thenAccept(this::learned);
	}

	/**
	 * Forgets a queue that was deleted.
	 * @param queue the queue
	 * @return completes when Redis has forgotten how many partitions it had
	 */
	public CompletableFuture<Void> forget(String queue) {
		if (layout(queue).equals(PartitionsKey.Layout.SINGLE)) {
			return READY;
		}
		return new PartitionsKey(this.store.runner()).set(queue, PartitionsKey.Layout.SINGLE).thenAccept(this::learned);
	}

	private void look() {
		load().whenComplete((asked, failure) -> {
			if (failure != null) {
				logger.debug("It is not known how many partitions queues have, which is asked again", failure);
			}
		});
	}

	private CompletableFuture<Void> ask() {
		return new PartitionsKey(this.store.runner()).list()
			.thenCompose((known) -> this.mayHaveGoneBack ? restore(known, this.layouts.entrySet().iterator())
					: CompletableFuture.completedFuture(known))
			.thenCompose((known) -> raise(known, this.configured.keySet().iterator()))
			.thenAccept(this::learned);
	}

	private CompletableFuture<Map<String, PartitionsKey.Layout>> restore(Map<String, PartitionsKey.Layout> known,
			Iterator<Map.Entry<String, PartitionsKey.Layout>> here) {
		while (here.hasNext()) {
			Map.Entry<String, PartitionsKey.Layout> next = here.next();
			PartitionsKey.Layout layout = next.getValue();
			PartitionsKey.Layout there = known.getOrDefault(next.getKey(), PartitionsKey.Layout.SINGLE);
			if (there.partitions() <= layout.partitions() && there.keyed() <= layout.keyed() && !there.equals(layout)) {
				return new PartitionsKey(this.store.runner()).set(next.getKey(), layout)
					.thenCompose((restored) -> restore(restored, here));
			}
		}
		this.mayHaveGoneBack = false;
		return CompletableFuture.completedFuture(known);
	}

	private CompletableFuture<Map<String, PartitionsKey.Layout>> raise(Map<String, PartitionsKey.Layout> known,
			Iterator<String> queues) {
		while (queues.hasNext()) {
			String queue = queues.next();
			int before = known.getOrDefault(queue, PartitionsKey.Layout.SINGLE).partitions();
			if (configured(queue) > before) {
				return this.store.count()
					.run(queue)
					.thenCompose((counts) -> raise(queue, before, counts))
					.thenCompose((raised) -> raise(raised, queues));
			}
		}
		return CompletableFuture.completedFuture(known);
	}

	/**
	 * A queue without messages has no keys that could be in another partition. If the
	 * queue is paused or closed, so are the added partitions, and each has the limits
	 * that are set for all instances.
	 */
	private CompletableFuture<Map<String, PartitionsKey.Layout>> raise(String queue, int before,
			CountScript.Counts counts) {
		int number = configured(queue);
		CountScript.Messages messages = counts.messages();
		boolean empty = messages.scheduled() + messages.ready() + messages.inFlight() == 0;
		List<MessageCommand> flags = new ArrayList<>();
		if (counts.status().paused()) {
			flags.add(MessageCommand.flag("paused", true));
		}
		if (counts.status().closed()) {
			flags.add(MessageCommand.flag("closed", true));
		}
		StoredLimits limits = counts.limits();
		if (!limits.equals(StoredLimits.NONE)) {
			flags.add(MessageCommand.limits(String.valueOf(limits.changedBy()), LimitWords.of(limits)));
		}
		if (limits.claims().isLimited() && isNew(queue + " limits")) {
			logger.warn("The queue '" + queue + "' gets " + number + " partitions, and no script can count over more"
					+ " than one: the limits that are set for it hold for each partition by itself, so that there"
					+ " may be " + number + " times as many. Call QueueAdmin.limits().clear(\"" + queue
					+ "\"), or set redelay.queue.queues." + queue + ".partitions=1");
		}
		CompletableFuture<?> flagged = flags.isEmpty() ? READY
				: CompletableFuture.allOf(IntStream.range(before, number)
					.mapToObj((index) -> this.store.steer().batcher(PartitionName.of(queue, index)).send(flags))
					.toArray(CompletableFuture[]::new));
		return flagged.thenCompose((done) -> new PartitionsKey(this.store.runner()).raise(queue,
				new PartitionsKey.Layout(number, empty ? number : 1)));
	}

	private void learned(Map<String, PartitionsKey.Layout> known) {
		boolean changed = !known.equals(this.layouts);
		this.layouts = known;
		this.loaded = true;
		Set<String> all = new TreeSet<>(this.configured.keySet());
		all.addAll(this.used);
		all.forEach((queue) -> log(queue, known.getOrDefault(queue, PartitionsKey.Layout.SINGLE)));
		if (changed) {
			this.listeners.forEach(this.scheduler::execute);
		}
	}

	/**
	 * Whether something was not logged before; what is beyond the bound is not logged.
	 */
	private boolean isNew(String what) {
		return this.logged.size() < MAX_LOGGED && this.logged.add(what);
	}

	private void log(String queue, PartitionsKey.Layout layout) {
		int here = configured(queue);
		if (layout.partitions() > here && isNew(queue + " " + layout.partitions())) {
			logger.warn("The queue '" + queue + "' has " + layout.partitions()
					+ " partitions, and 'redelay.queue.queues." + queue + ".partitions' is " + here
					+ " in this application: its listeners listen to all of them, and messages without a key or an id"
					+ " go from here to " + ((here == 1) ? "the first one only" : "the first " + here + " only")
					+ ". Set the property to " + layout.partitions() + "; or to have fewer, set it to " + here
					+ " in all applications, restart them, and call QueueAdmin.control().drain");
		}
		if (here > 1 && layout.keyed() != layout.partitions()
				&& isNew(queue + " " + layout.partitions() + " " + layout.keyed())) {
			logger.warn("Messages of the queue '" + queue + "' that have a key or an id are spread over "
					+ layout.keyed() + " of its " + layout.partitions()
					+ " partitions, so that those of one key stay together. To spread them over all, call QueueAdmin.control().drain"
					+ " and, " + this.interval.multipliedBy(2).toMillis() + " ms later, QueueAdmin.control().reopen");
		}
	}

	/**
	 * What is configured here for the partitions of a queue.
	 *
	 * @param partitions how many there are, at least 1
	 * @param priorityPerPartition whether messages with a priority may be sent to several
	 * partitions, each of which respects priorities only within itself
	 */
	public record Settings(int partitions, boolean priorityPerPartition) {

		static final Settings SINGLE = new Settings(1, false);

	}

}
