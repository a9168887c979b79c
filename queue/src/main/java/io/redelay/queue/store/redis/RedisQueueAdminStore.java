package io.redelay.queue.store.redis;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ScheduledExecutorService;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.Collectors;

import io.redelay.queue.MessageState;
import io.redelay.queue.limits.RateLimit;
import io.redelay.queue.measure.CountsWriter;
import io.redelay.queue.measure.QueueMeter;
import io.redelay.queue.store.CheckPart;
import io.redelay.queue.store.CheckStep;
import io.redelay.queue.store.CommandReply;
import io.redelay.queue.store.CommandResult;
import io.redelay.queue.store.DeathPage;
import io.redelay.queue.store.DeletionWatch;
import io.redelay.queue.store.EventFeed;
import io.redelay.queue.store.JobStore;
import io.redelay.queue.store.LaneStatus;
import io.redelay.queue.store.MessageCommand;
import io.redelay.queue.store.MessageOutcome;
import io.redelay.queue.store.MessagePage;
import io.redelay.queue.store.MessagePlace;
import io.redelay.queue.store.MoveListener;
import io.redelay.queue.store.NameStore;
import io.redelay.queue.store.PartitionLayout;
import io.redelay.queue.store.PurgeReply;
import io.redelay.queue.store.QueueAdminStore;
import io.redelay.queue.store.RedriveStore;
import io.redelay.queue.store.ReplayMemory;
import io.redelay.queue.store.ScanReply;
import io.redelay.queue.store.ScanRequest;
import io.redelay.queue.store.ScriptTime;
import io.redelay.queue.store.SenderMemory;
import io.redelay.queue.store.SenderState;
import io.redelay.queue.store.StoredCounts;
import io.redelay.queue.store.StoredDedupKey;
import io.redelay.queue.store.StoredHistory;
import io.redelay.queue.store.StoredInstance;
import io.redelay.queue.store.StoredKeys;
import io.redelay.queue.store.StoredLane;
import io.redelay.queue.store.StoredQueueState;
import io.redelay.queue.store.StoredMessage;
import io.redelay.queue.store.TaggedMessages;
import io.redelay.queue.store.TrimReply;
import io.redelay.queue.store.Uids;
import io.redelay.scheduling.Scheduler;
import org.jspecify.annotations.Nullable;
import org.redisson.api.RedissonClient;

import org.springframework.util.function.SingletonSupplier;

/**
 * Looks at queues on Redis and acts on them: one script a verb, on the keys that
 * {@link RedisDelayQueueStore} keeps.
 *
 * @since 0.1.0
 */
public final class RedisQueueAdminStore implements QueueAdminStore, AutoCloseable {

	/**
	 * How many bytes one request reads or moves at most, not counting its last message:
	 * as many as a claim.
	 */
	private static final int MAX_BYTES = 4 * 1024 * 1024;

	/**
	 * For how long the deletion of a queue is remembered: longer than its lanes take to
	 * notice it.
	 */
	static final String DELETION_MILLIS = ScriptTime.millis(Duration.ofMinutes(2));

	private final ScriptRunner runner;

	private final QueueQueries looks;

	private final BundleScripts bundles;

	private final RedisJobStore jobs;

	private final RedisRedriveStore redrives;

	private final RedisNameStore names;

	private final InstanceKeys instances;

	private final PartitionsKey partitions;

	private final StatsKey stats;

	private volatile MoveListener moves = MoveListener.NONE;

	/**
	 * Restores recurring messages whose ticks a purge or a deletion may have removed.
	 */
	private volatile Function<String, CompletableFuture<?>> ticksGone = (queue) -> CompletableFuture
		.completedFuture(null);

	/**
	 * Restores recurring messages some time after commands may have removed ticks.
	 */
	private volatile Consumer<String> someTicksGone = (queue) -> {
	};

	private volatile DeletionWatch deletions = DeletionWatch.NONE;

	/**
	 * Called with queues, or partitions, whose last living message has gone.
	 */
	private volatile BiConsumer<String, Instant> drained = (queue, time) -> {
	};

	private final RequestMeter meter;

	private final Supplier<String> wakePrefix;

	private final ReplayMemory replayMemory;

	private final Uids lanes = new Uids();

	private final TopicScripts topics;

	private final String maxBytes;

	/**
	 * Creates a store.
	 * @param redisson the client, which stays the caller's to shut down
	 * @param prefix the prefix of all keys
	 * @param resendFor how long a request is sent again while no answer comes
	 * @param timer when to send it again
	 * @param replayMemory the requests that are remembered in case Redis goes back in
	 * time
	 */
	public RedisQueueAdminStore(RedissonClient redisson, String prefix, Duration resendFor,
			ScheduledExecutorService timer, ReplayMemory replayMemory) {
		this(redisson, prefix, resendFor, timer, replayMemory, new RedisAvailability(timer));
	}

	/**
	 * Creates a store.
	 * @param redisson the client, which stays the caller's to shut down
	 * @param prefix the prefix of all keys
	 * @param resendFor how long a request is sent again while no answer comes
	 * @param timer when to send it again
	 * @param replayMemory the requests that are remembered in case Redis goes back in
	 * time
	 * @param availability notified of answers and failures; the stores of a server share
	 * one
	 */
	public RedisQueueAdminStore(RedissonClient redisson, String prefix, Duration resendFor,
			ScheduledExecutorService timer, ReplayMemory replayMemory, RedisAvailability availability) {
		this(redisson, prefix, resendFor, timer, replayMemory, LuaScripts.load(), MAX_BYTES, availability);
	}

	RedisQueueAdminStore(RedissonClient redisson, String prefix, Duration resendFor, ScheduledExecutorService timer,
			ReplayMemory replayMemory, LuaScripts scripts, int maxBytes) {
		this(redisson, prefix, resendFor, timer, replayMemory, scripts, maxBytes, new RedisAvailability(timer));
	}

	RedisQueueAdminStore(RedissonClient redisson, String prefix, Duration resendFor, ScheduledExecutorService timer,
			ReplayMemory replayMemory, LuaScripts scripts, int maxBytes, RedisAvailability availability) {
		this.replayMemory = replayMemory;
		Scheduler scheduler = Scheduler.of(timer, Runnable::run);
		this.runner = new ScriptRunner(redisson, prefix, resendFor, scheduler, scripts, availability);
		this.maxBytes = Integer.toString(maxBytes);
		this.looks = new QueueQueries(this.runner, this.maxBytes);
		this.instances = new InstanceKeys(this.runner);
		this.partitions = new PartitionsKey(this.runner);
		this.stats = new StatsKey(this.runner);
		this.wakePrefix = SingletonSupplier.of(() -> WakeUpChannel.prefix(redisson, prefix + ":wake:"));
		this.meter = new RequestMeter(scheduler);
		this.topics = TopicScripts
			.of(new SendingContext(this.runner, new ExpiryAnnouncements(this.runner, scheduler, replayMemory),
					this.wakePrefix, this.lanes::next, replayMemory, () -> this.moves, () -> {
					}, this.meter));
		this.jobs = new RedisJobStore(this.runner);
		this.redrives = new RedisRedriveStore(this.runner, this.maxBytes);
		this.names = new RedisNameStore(this.runner);
		this.bundles = BundleScripts.of(this.runner, this.wakePrefix, replayMemory);
	}

	/**
	 * Stops resending requests, as the application is closing: requests that wait to be
	 * resent fail, so that no caller waits for ever. The client stays open.
	 */
	@Override
	public void close() {
		this.runner.close();
	}

	/**
	 * Sets the callbacks that restore recurring messages when a request of this store may
	 * have removed the messages of ticks.
	 * @param look called with the queue of a purge or a deletion, which waits for the
	 * returned future; that must not fail
	 * @param lookSoon called with the queue of commands. It must not restore at once, or
	 * a search that gives commands would find the restored messages forever. Must not
	 * block and must not throw
	 */
	public void whenTicksGo(Function<String, CompletableFuture<?>> look, Consumer<String> lookSoon) {
		this.ticksGone = look;
		this.someTicksGone = lookSoon;
	}

	/**
	 * Sets the watch that is asked for recurring messages before a queue is deleted.
	 * @param watch the watch
	 */
	public void watchDeletions(DeletionWatch watch) {
		this.deletions = watch;
	}

	/**
	 * Sets the listener to the moves of messages that this store makes.
	 * @param listener the listener
	 */
	public void tellMoves(MoveListener listener) {
		this.moves = listener;
	}

	/**
	 * Sets a callback for when the last living message of a queue, or of a partition, has
	 * gone. It is called only while the listener to moves listens to queues.
	 * @param drained called with the queue and the time; must not block and must not
	 * throw
	 */
	public void whenDrained(BiConsumer<String, Instant> drained) {
		this.drained = drained;
	}

	/**
	 * Sets the meter that records the requests of this store.
	 * @param meter the meter
	 */
	public void measure(QueueMeter meter) {
		this.meter.tell(meter);
	}

	/**
	 * Returns the feed of the events of all instances.
	 * @param maxBatches how many batches the feed keeps
	 * @return the feed
	 */
	public EventFeed feed(int maxBatches) {
		return new RedisEventFeed(this.runner, maxBatches);
	}

	/**
	 * Returns the scripts of the topics, whose groups have queues of this store.
	 * @return the scripts
	 */
	public TopicScripts topics() {
		return this.topics;
	}

	@Override
	public CompletableFuture<Set<String>> queues() {
		return names("Listing the queues", this.runner.key("queues"));
	}

	private CompletableFuture<Set<String>> names(String what, String key) {
		return this.runner.run(what, Script.QUEUES, List.of(key), new Object[0], (reply) -> {
			Set<String> names = new TreeSet<>();
			while (reply.hasNext()) {
				names.add(reply.text());
			}
			return names;
		});
	}

	@Override
	public CompletableFuture<Map<String, PartitionLayout>> layouts() {
		return this.partitions.list();
	}

	@Override
	public CompletableFuture<Map<String, PartitionLayout>> raisePartitions(String queue, PartitionLayout layout) {
		return this.partitions.raise(queue, layout);
	}

	@Override
	public CompletableFuture<Map<String, PartitionLayout>> setPartitions(String queue, PartitionLayout layout) {
		return this.partitions.set(queue, layout);
	}

	@Override
	public CompletableFuture<String> openLane(String queue) {
		String lane = this.lanes.next();
		return this.runner.run("Opening a lane of the queue '" + queue + "'", Script.OPEN_STEERER,
				List.of(this.runner.keys(queue).sent(lane)), new Object[] { SenderMemory.MILLIS }, (reply) -> lane);
	}

	@Override
	public CompletableFuture<SenderState> checkLane(String queue, String lane) {
		return new CheckSenderScript(this.runner).run(queue, lane);
	}

	@Override
	public ReplayMemory replayMemory() {
		return this.replayMemory;
	}

	@Override
	public CompletableFuture<CommandReply> command(String queue, String lane, long seq, List<MessageCommand> commands) {
		MoveListener listener = this.moves;
		CompletableFuture<CommandReply> commanded = commandUntold(queue, lane, seq, commands);
		if (mayRemoveTicks(commands)) {
			commanded = commanded.whenComplete((reply, failure) -> this.someTicksGone.accept(queue));
		}
		boolean measured = this.meter.isMeasuring();
		boolean told = listener.isListening() || listener.isListeningToQueues();
		return (!told && !measured) ? commanded : commanded.thenApply((reply) -> {
			if (measured) {
				this.meter.commanded(queue, commands, reply);
			}
			if (told) {
				listener.commanded(queue, commands, reply);
			}
			if (reply.emptied() && listener.isListeningToQueues()) {
				this.drained.accept(queue, reply.time());
			}
			return reply;
		});
	}

	private static boolean mayRemoveTicks(List<MessageCommand> commands) {
		for (MessageCommand command : commands) {
			boolean removes = switch (command.action()) {
				case CANCEL, DELETE, BURY, EXPIRE -> command.name().endsWith(Uids.TICK_SUFFIX);
				default -> false;
			};
			if (removes) {
				return true;
			}
		}
		return false;
	}

	private CompletableFuture<CommandReply> commandUntold(String queue, String lane, long seq,
			List<MessageCommand> commands) {
		QueueKeys keys = this.runner.keys(queue);
		List<Object> args = new ArrayList<>(4 + 5 * commands.size());
		args.add(Long.toString(seq));
		args.add(SenderMemory.MILLIS);
		args.add(this.wakePrefix.get());
		args.add(this.maxBytes);
		for (MessageCommand command : commands) {
			args.add(command.action().verb());
			args.add(command.name());
			args.add(command.argument());
			args.add(command.freshUid());
			args.add(command.states().stream().sorted().map(MessageState::name).collect(Collectors.joining(" ")));
		}
		List<Object> all = keys.withIndex(keys.sent(lane), keys.messages(), keys.ready(), keys.scheduled(), keys.held(),
				keys.tries(), keys.dead(), keys.deadMessages(), keys.ids(), keys.sleepers(), keys.cancelled(),
				keys.history(), keys.meta(), keys.suspects(), keys.lanes(), keys.deadIds(), keys.expiries());
		all.add(keys.past());
		return this.runner.run("Carrying out commands on the queue '" + queue + "'", Script.STEER, all, args.toArray(),
				RedisQueueAdminStore::commandReply);
	}

	@Override
	public CompletableFuture<OptionalLong> tidy(String queue, long from) {
		QueueKeys keys = this.runner.keys(queue);
		return this.runner.run("Tidying the lists of the queue '" + queue + "'", Script.TIDY,
				List.of(keys.messages(), keys.ready(), keys.suspects()), new Object[] { Long.toString(from) },
				(reply) -> {
					reply.text();
					String next = reply.textOrNull();
					return (next != null) ? OptionalLong.of(Long.parseLong(next)) : OptionalLong.empty();
				});
	}

	@Override
	public CompletableFuture<MessagePage> find(String queue, List<String> names) {
		return this.looks.find(queue, names);
	}

	@Override
	public CompletableFuture<TaggedMessages<StoredMessage>> tagged(String queue, String tag, @Nullable String from,
			int count) {
		return this.looks.tagged(queue, tag, from, count);
	}

	@Override
	public CompletableFuture<TaggedMessages<MessagePlace>> placesByTag(String queue, String tag, @Nullable String from,
			int count) {
		return this.looks.placesByTag(queue, tag, from, count);
	}

	@Override
	public CompletableFuture<List<MessageOutcome>> outcomes(String queue, List<String> names) {
		return this.looks.outcomes(queue, names);
	}

	@Override
	public CompletableFuture<MessagePage> browse(String queue, MessageState state, long offset, int count) {
		return this.looks.browse(queue, state, offset, count);
	}

	@Override
	public CompletableFuture<ScanReply> scan(String queue, ScanRequest request) {
		return this.looks.scan(queue, request);
	}

	@Override
	public CompletableFuture<MessagePage> expired(String queue) {
		return this.looks.expired(queue);
	}

	@Override
	public CompletableFuture<Set<String>> expiring() {
		return names("Listing the queues of messages with a time to live", this.runner.key("expiring"));
	}

	@Override
	public CompletableFuture<DeathPage> deaths(String queue, long offset, int count) {
		return this.looks.deaths(queue, offset, count);
	}

	@Override
	public CompletableFuture<StoredCounts> count(String queue) {
		return this.looks.count(queue);
	}

	@Override
	public CompletableFuture<StoredQueueState> look(String queue) {
		return this.looks.look(queue);
	}

	@Override
	public CompletableFuture<StoredKeys> keys(String queue, List<RateLimit> rates) {
		return this.looks.keys(queue, rates);
	}

	@Override
	public CompletableFuture<List<StoredDedupKey>> dedupKey(String queue, String key) {
		return this.looks.dedupKey(queue, key);
	}

	@Override
	public CompletableFuture<CheckStep> check(String queue, CheckPart part, String from, int count, List<String> uids) {
		return this.looks.check(queue, part, from, count, uids);
	}

	@Override
	public CompletableFuture<List<StoredLane>> lanes(String queue) {
		return this.looks.lanes(queue);
	}

	@Override
	public CompletableFuture<PurgeReply> purge(String queue, String lane, long seq, MessageState state, int most) {
		MoveListener listener = this.moves;
		QueueKeys keys = this.runner.keys(queue);
		List<Object> names = keys.withIndex(keys.sent(lane), keys.messages(), keys.ready(), keys.suspects(),
				keys.scheduled(), keys.tries(), keys.dead(), keys.deadMessages(), keys.ids(), keys.history(),
				keys.meta(), keys.deadIds(), keys.expiries(), keys.sleepers());
		names.addAll(List.of(keys.held(), keys.lanes()));
		CompletableFuture<PurgeReply> purging = this.runner.run("Purging the queue '" + queue + "'", Script.PURGE,
				names, new Object[] { Long.toString(seq), SenderMemory.MILLIS, state.name(), Integer.toString(most),
						this.wakePrefix.get(), ScriptWords.flag(listener.isListening()) },
				(reply) -> {
					LaneStatus status = reply.status();
					if (status != LaneStatus.OK) {
						return new PurgeReply(status, 0, false);
					}
					Instant time = reply.time();
					int removed = (int) reply.number();
					String left = reply.text();
					if (reply.hasNext()) {
						listener.removed(queue, MoveListener.Removal.PURGE, texts(reply), time);
					}
					if (left.equals(ScriptWords.EMPTIED) && listener.isListeningToQueues()) {
						this.drained.accept(queue, time);
					}
					return new PurgeReply(status, removed, left.equals(ScriptWords.YES));
				});
		boolean hasTicks = state == MessageState.SCHEDULED || state == MessageState.READY;
		return !hasTicks ? purging
				: purging.thenCompose((purged) -> purged.hasNext() ? CompletableFuture.completedFuture(purged)
						: this.ticksGone.apply(queue).thenApply((looked) -> purged));
	}

	@Override
	public CompletableFuture<TrimReply> trimDead(String queue, String lane, long seq, long maxCount, Duration maxAge,
			long maxBytes) {
		QueueKeys keys = this.runner.keys(queue);
		return this.runner.run("Trimming the dead messages of the queue '" + queue + "'", Script.TRIM_DEAD,
				keys.withIndex(keys.sent(lane), keys.dead(), keys.deadMessages(), keys.ids(), keys.deadIds(),
						keys.messages(), keys.ready(), keys.meta(), keys.sleepers()),
				new Object[] { Long.toString(seq), SenderMemory.MILLIS, Long.toString(maxCount),
						ScriptTime.millis(maxAge), this.wakePrefix.get(),
						(maxBytes != Long.MAX_VALUE) ? Long.toString(maxBytes) : "" },
				(reply) -> {
					LaneStatus status = reply.status();
					if (status != LaneStatus.OK) {
						return new TrimReply(status, List.of(), false);
					}
					Instant time = reply.time();
					boolean hasNext = reply.flag();
					List<String> trimmed = texts(reply);
					MoveListener listener = this.moves;
					if (listener.isListening()) {
						listener.removed(queue, MoveListener.Removal.TRIMMING, trimmed, time);
					}
					return new TrimReply(status, trimmed, hasNext);
				});
	}

	@Override
	public CompletableFuture<Void> addCounts(String queue, String instance, long request,
			List<CountsWriter.Span> spans) {
		return this.stats.add(queue, instance, request, spans);
	}

	@Override
	public CompletableFuture<StoredHistory> history(String queue) {
		return this.stats.read(queue);
	}

	/**
	 * Returns the scripts of the bundles of messages that queues keep.
	 * @return the scripts
	 */
	public BundleScripts bundles() {
		return this.bundles;
	}

	@Override
	public JobStore jobs() {
		return this.jobs;
	}

	@Override
	public CompletableFuture<Set<String>> recurring(String queue) {
		return this.deletions.recurring(queue).thenApply(Map::keySet);
	}

	@Override
	public RedriveStore redrives() {
		return this.redrives;
	}

	@Override
	public NameStore names() {
		return this.names;
	}

	@Override
	public MoveListener moves() {
		return this.moves;
	}

	@Override
	public CompletableFuture<Boolean> isEmpty(String queue) {
		return recurring(queue)
			.thenCompose((names) -> names.isEmpty() ? delete(queue, "look") : CompletableFuture.completedFuture(false));
	}

	@Override
	public CompletableFuture<Boolean> delete(String queue, boolean evenIfNotEmpty) {
		if (!evenIfNotEmpty) {
			return isEmpty(queue).thenCompose(
					(empty) -> empty ? delete(queue, false, Map.of()) : CompletableFuture.completedFuture(false));
		}
		return this.deletions.recurring(queue).thenCompose((recurring) -> delete(queue, true, recurring));
	}

	private CompletableFuture<Boolean> delete(String queue, boolean evenIfNotEmpty, Map<String, Long> recurring) {
		return unregister(queue)
			.thenCompose((registries) -> delete(queue, ScriptWords.flag(evenIfNotEmpty)).thenCompose((deleted) -> {
				if (!deleted) {
					return register(queue, registries.iterator());
				}
				this.deletions.deleted(queue, recurring);
				return this.ticksGone.apply(queue).thenApply((looked) -> true);
			}));
	}

	private CompletableFuture<Boolean> delete(String queue, String how) {
		return this.runner.run(deleting(queue), Script.DELETE, this.runner.keys(queue).all(),
				new Object[] { how, this.wakePrefix.get(), DELETION_MILLIS }, (reply) -> reply.text().equals("OK"));
	}

	/**
	 * Removes a queue from the registries before it is deleted: a send after the deletion
	 * registers it again, and that must not be undone.
	 * @return the keys of the registries that had it
	 */
	private CompletableFuture<List<String>> unregister(String queue) {
		List<String> had = new ArrayList<>();
		CompletableFuture<?> last = CompletableFuture.completedFuture(null);
		for (String registry : List.of("expiring", NameLists.BUNDLED, "queues")) {
			String key = this.runner.key(registry);
			last = last.thenCompose((done) -> this.runner.run(deleting(queue), Script.UNREGISTER, List.of(key),
					new Object[] { queue }, (reply) -> reply.flag() ? had.add(key) : had.contains(key)));
		}
		return last.thenApply((done) -> had);
	}

	/**
	 * Registers a queue again that was sent to since the look at it.
	 * @return {@code false}: it was not deleted
	 */
	private CompletableFuture<Boolean> register(String queue, Iterator<String> registries) {
		return registries.hasNext() ? this.runner
			.run(deleting(queue), Script.REGISTER, List.of(registries.next()), new Object[] { queue }, (reply) -> false)
			.thenCompose((done) -> register(queue, registries)) : CompletableFuture.completedFuture(false);
	}

	private static String deleting(String queue) {
		return "Deleting the queue '" + queue + "'";
	}

	@Override
	public CompletableFuture<Void> announce(String instance, String description, Duration ttl) {
		return this.instances.announce(instance, description, ttl);
	}

	@Override
	public CompletableFuture<List<StoredInstance>> instances() {
		return this.instances.list();
	}

	@Override
	public CompletableFuture<Map<String, String>> instances(Set<String> instances) {
		return this.instances.instances(instances);
	}

	private static List<String> texts(Reply reply) {
		List<String> texts = new ArrayList<>();
		while (reply.hasNext()) {
			texts.add(reply.text());
		}
		return texts;
	}

	private static CommandReply commandReply(Reply reply) {
		LaneStatus status = reply.status();
		if (status != LaneStatus.OK) {
			return new CommandReply(status, reply.hasNext() ? reply.time() : Instant.EPOCH, false, List.of());
		}
		Instant time = reply.time();
		String lists = reply.text();
		List<CommandResult> results = new ArrayList<>();
		while (reply.hasNext()) {
			MessageState state = MessageState.valueOf(reply.text());
			CommandResult.Outcome outcome = CommandResult.Outcome.valueOf(reply.text());
			String told = reply.text();
			Instant due = Character.isDigit(told.charAt(0)) ? Instant.ofEpochMilli(Long.parseLong(told)) : null;
			results.add(new CommandResult(state, outcome, due,
					told.startsWith(ScriptWords.HANDED_ON) ? told.substring(ScriptWords.HANDED_ON.length()) : null));
		}
		return new CommandReply(status, time, lists.equals(ScriptWords.YES), results,
				lists.equals(ScriptWords.EMPTIED));
	}

}
