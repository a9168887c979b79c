package io.redelay.queue.script.admin;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ScheduledExecutorService;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Supplier;

import io.redelay.queue.message.Uids;
import io.redelay.queue.request.ReplayMemory;
import io.redelay.queue.request.StoreException;
import io.redelay.queue.script.BundleScripts;
import io.redelay.queue.script.ExpiryAnnouncements;
import io.redelay.queue.script.ScriptObservers;
import io.redelay.queue.script.QueueScripts;
import io.redelay.queue.script.SendingContext;
import io.redelay.queue.script.TopicScripts;
import io.redelay.queue.wire.LuaScripts;
import io.redelay.queue.wire.RedisAvailability;
import io.redelay.queue.wire.ScriptRunner;
import io.redelay.queue.wire.WakeUpChannel;
import io.redelay.scheduling.Scheduler;
import org.redisson.api.RedissonClient;

import org.springframework.util.function.SingletonSupplier;

/**
 * The scripts that look at queues and act on them, on the keys that {@link QueueScripts}
 * keeps. Each is one request that takes a bounded time, and reads or moves a bounded
 * number of bytes, however much a queue holds. A look at messages or deaths that Redis
 * does not answer in time is not repeated.
 * <p>
 * Safe for use by many threads. Futures complete on threads that must not be blocked, and
 * fail with a {@link StoreException}.
 *
 * @since 0.1.0
 */
public final class AdminScripts implements AutoCloseable {

	/**
	 * How many messages one request shows at most.
	 */
	public static final int MAX_PAGE = 500;

	/**
	 * How many bytes one request reads or moves at most, not counting its last message:
	 * as many as a claim.
	 */
	private static final int MAX_BYTES = 4 * 1024 * 1024;

	private final ScriptRunner runner;

	private final AdminCallbacks callbacks = new AdminCallbacks();

	private final ReplayMemory replayMemory;

	private final TopicScripts topics;

	private final BundleScripts bundles;

	private final TidyScript tidy;

	private final SteerScript steer;

	private final FindScript find;

	private final TaggedScript tagged;

	private final OutcomesScript outcomes;

	private final BrowseScript browse;

	private final ScanScript scan;

	private final ExpiredScript expired;

	private final DeathsScript deaths;

	private final CountScript count;

	private final LookScript look;

	private final KeysScript keys;

	private final DedupKeyScript dedupKey;

	private final CheckScript check;

	private final LanesScript lanes;

	private final PurgeScript purge;

	private final TrimDeadScript trimDead;

	private final DeleteScript delete;

	private final RedriveTurnScript redriveTurn;

	private final RedrivableScript redrivable;

	private final StatsKey stats;

	private final PartitionsKey partitions;

	private final InstanceKeys instances;

	private final JobsKey jobs;

	private final QueueNames names;

	/**
	 * Creates the scripts.
	 * @param redisson the client, which stays the caller's to shut down
	 * @param prefix the prefix of all keys
	 * @param resendFor how long a request is sent again while no answer comes
	 * @param timer when to send it again
	 * @param replayMemory the requests that are remembered in case Redis goes back in
	 * time
	 * @param availability notified of answers and failures; all that uses a server shares
	 * one
	 */
	public AdminScripts(RedissonClient redisson, String prefix, Duration resendFor, ScheduledExecutorService timer,
			ReplayMemory replayMemory, RedisAvailability availability) {
		this(redisson, prefix, resendFor, timer, replayMemory, availability, LuaScripts.load(), MAX_BYTES);
	}

	public AdminScripts(RedissonClient redisson, String prefix, Duration resendFor, ScheduledExecutorService timer,
			ReplayMemory replayMemory, RedisAvailability availability, LuaScripts scripts, int maxBytes) {
		this.replayMemory = replayMemory;
		Scheduler scheduler = Scheduler.of(timer, Runnable::run);
		this.runner = new ScriptRunner(redisson, prefix, resendFor, scheduler, scripts, availability);
		String bytes = Integer.toString(maxBytes);
		Uids lanes = new Uids();
		Supplier<String> wakePrefix = SingletonSupplier.of(() -> WakeUpChannel.prefix(redisson, prefix + ":wake:"));
		this.topics = TopicScripts
			.of(new SendingContext(this.runner, new ExpiryAnnouncements(this.runner, scheduler, replayMemory),
					wakePrefix, lanes::next, replayMemory, this.callbacks::observers, () -> {
					}));
		this.bundles = BundleScripts.of(this.runner, wakePrefix, replayMemory);
		this.tidy = new TidyScript(this.runner);
		this.steer = new SteerScript(this.runner, wakePrefix, bytes, this.callbacks, replayMemory, this.tidy, lanes);
		this.find = new FindScript(this.runner, bytes);
		this.tagged = new TaggedScript(this.runner, bytes);
		this.outcomes = new OutcomesScript(this.runner, bytes);
		this.browse = new BrowseScript(this.runner, bytes);
		this.scan = new ScanScript(this.runner, bytes);
		this.expired = new ExpiredScript(this.runner, bytes);
		this.deaths = new DeathsScript(this.runner, bytes);
		this.count = new CountScript(this.runner);
		this.look = new LookScript(this.runner);
		this.keys = new KeysScript(this.runner);
		this.dedupKey = new DedupKeyScript(this.runner);
		this.check = new CheckScript(this.runner);
		this.lanes = new LanesScript(this.runner);
		this.purge = new PurgeScript(this.runner, wakePrefix, this.callbacks);
		this.trimDead = new TrimDeadScript(this.runner, wakePrefix, this.callbacks);
		this.delete = new DeleteScript(this.runner, wakePrefix, this.callbacks);
		this.redriveTurn = new RedriveTurnScript(this.runner);
		this.redrivable = new RedrivableScript(this.runner, bytes);
		this.stats = new StatsKey(this.runner);
		this.partitions = new PartitionsKey(this.runner);
		this.instances = new InstanceKeys(this.runner);
		this.jobs = new JobsKey(this.runner);
		this.names = new QueueNames(this.runner);
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
	 * Sets the callbacks that restore recurring messages when a request of these scripts
	 * may have removed the messages of ticks.
	 * @param look called with the queue of a purge or a deletion, which waits for the
	 * returned future; that must not fail
	 * @param lookSoon called with the queue of commands. It must not restore at once, or
	 * a search that gives commands would find the restored messages forever. Must not
	 * block and must not throw
	 */
	public void whenTicksGo(Function<String, CompletableFuture<?>> look, Consumer<String> lookSoon) {
		this.callbacks.whenTicksGo(look, lookSoon);
	}

	/**
	 * Sets the watch that is asked for recurring messages before a queue is deleted.
	 * @param watch the watch
	 */
	public void watchDeletions(DeleteScript.Watch watch) {
		this.callbacks.watchDeletions(watch);
	}

	/**
	 * Sets the observers of the calls of these scripts.
	 * @param observers the observers
	 */
	public void observe(ScriptObservers observers) {
		this.callbacks.observe(observers);
	}

	/**
	 * Returns the feed of the events of all instances.
	 * @param maxBatches how many batches the feed keeps
	 * @return the feed
	 */
	public EventFeed feed(int maxBatches) {
		return new EventFeed(this.runner, maxBatches);
	}

	/**
	 * Returns the observers of calls and of changes of queues.
	 * @return the observers
	 */
	public ScriptObservers observers() {
		return this.callbacks.observers();
	}

	/**
	 * Returns the requests that were answered, in case Redis goes back in time.
	 * @return the memory that all lanes share
	 */
	public ReplayMemory replayMemory() {
		return this.replayMemory;
	}

	public TopicScripts topics() {
		return this.topics;
	}

	public BundleScripts bundles() {
		return this.bundles;
	}

	public TidyScript tidy() {
		return this.tidy;
	}

	public SteerScript steer() {
		return this.steer;
	}

	public FindScript find() {
		return this.find;
	}

	public TaggedScript tagged() {
		return this.tagged;
	}

	public OutcomesScript outcomes() {
		return this.outcomes;
	}

	public BrowseScript browse() {
		return this.browse;
	}

	public ScanScript scan() {
		return this.scan;
	}

	public ExpiredScript expired() {
		return this.expired;
	}

	public DeathsScript deaths() {
		return this.deaths;
	}

	public CountScript count() {
		return this.count;
	}

	public LookScript look() {
		return this.look;
	}

	public KeysScript keys() {
		return this.keys;
	}

	public DedupKeyScript dedupKey() {
		return this.dedupKey;
	}

	public CheckScript check() {
		return this.check;
	}

	public LanesScript lanes() {
		return this.lanes;
	}

	public PurgeScript purge() {
		return this.purge;
	}

	public TrimDeadScript trimDead() {
		return this.trimDead;
	}

	public DeleteScript delete() {
		return this.delete;
	}

	public RedriveTurnScript redriveTurn() {
		return this.redriveTurn;
	}

	public RedrivableScript redrivable() {
		return this.redrivable;
	}

	public StatsKey stats() {
		return this.stats;
	}

	public PartitionsKey partitions() {
		return this.partitions;
	}

	public InstanceKeys instances() {
		return this.instances;
	}

	public JobsKey jobs() {
		return this.jobs;
	}

	public QueueNames names() {
		return this.names;
	}

}
