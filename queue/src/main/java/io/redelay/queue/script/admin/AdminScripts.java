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
import io.redelay.queue.script.ExpiryAnnouncements;
import io.redelay.queue.script.QueueScripts;
import io.redelay.queue.script.ScriptObservers;
import io.redelay.queue.script.SendingContext;
import io.redelay.queue.script.TopicScripts;
import io.redelay.queue.wire.LuaScripts;
import io.redelay.queue.wire.RedisAvailability;
import io.redelay.queue.wire.ScriptRunner;
import io.redelay.queue.wire.WakeUpChannel;
import io.redelay.queue.wire.WakeUpSource;
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

	private final ReplayMemory replayMemory;

	private final Supplier<String> wakePrefix;

	private final Supplier<WakeUpSource> answers;

	private final int maxBytes;

	private final Uids lanes = new Uids();

	private final TopicScripts topics;

	private final BundleScripts bundles;

	private final ColdTier coldTier;

	private volatile ScriptObservers observers = new ScriptObservers(System::nanoTime);

	private volatile Function<String, CompletableFuture<?>> ticksGone = (queue) -> CompletableFuture
		.completedFuture(null);

	private volatile Consumer<String> someTicksGone = (queue) -> {
	};

	private volatile DeleteScript.Watch deletions = DeleteScript.Watch.NONE;

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
		this(new ScriptRunner(redisson, prefix, resendFor, Scheduler.of(timer, Runnable::run), scripts, availability),
				SingletonSupplier.of(() -> WakeUpChannel.prefix(redisson, prefix + ":wake:")),
				SingletonSupplier.of(() -> new WakeUpChannel(redisson, prefix + ":wake:", Uids.instance(),
						Scheduler.of(timer, Runnable::run))),
				Scheduler.of(timer, Runnable::run), replayMemory, maxBytes);
	}

	/**
	 * Creates the scripts on what runs them. They can ask no instance.
	 */
	public AdminScripts(ScriptRunner runner, Supplier<String> wakePrefix, Scheduler scheduler,
			ReplayMemory replayMemory, int maxBytes) {
		this(runner, wakePrefix, () -> {
			throw new IllegalStateException("There is no channel to ask instances on");
		}, scheduler, replayMemory, maxBytes);
	}

	private AdminScripts(ScriptRunner runner, Supplier<String> wakePrefix, Supplier<WakeUpSource> answers,
			Scheduler scheduler, ReplayMemory replayMemory, int maxBytes) {
		this.runner = runner;
		this.wakePrefix = wakePrefix;
		this.answers = answers;
		this.replayMemory = replayMemory;
		this.maxBytes = maxBytes;
		this.topics = TopicScripts
			.of(new SendingContext(this.runner, new ExpiryAnnouncements(this.runner, scheduler, replayMemory),
					this.wakePrefix, this.lanes::next, replayMemory, this::observers, () -> {
					}));
		this.bundles = new BundleScripts(new BundleScript(this.runner, this.wakePrefix, replayMemory, this::observers),
				new BundlesScript(this.runner));
		this.coldTier = new ColdTier(scheduler);
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
	 * @param lookSoon called with the queue of commands, or of a purge that failed in the
	 * midst. It must not restore at once, or a search that gives commands would find the
	 * restored messages forever. Must not block and must not throw
	 */
	public void whenTicksGo(Function<String, CompletableFuture<?>> look, Consumer<String> lookSoon) {
		this.ticksGone = look;
		this.someTicksGone = lookSoon;
	}

	/**
	 * Sets the watch that is asked for recurring messages before a queue is deleted.
	 * @param watch the watch
	 */
	public void watchDeletions(DeleteScript.Watch watch) {
		this.deletions = watch;
	}

	/**
	 * Sets the observers of the calls of these scripts.
	 * @param observers the observers
	 */
	public void observe(ScriptObservers observers) {
		this.observers = observers;
	}

	/**
	 * Returns the observers of calls and of changes of queues.
	 * @return the observers
	 */
	public ScriptObservers observers() {
		return this.observers;
	}

	/**
	 * Returns the requests that were answered, in case Redis goes back in time.
	 * @return the memory that all lanes share
	 */
	public ReplayMemory replayMemory() {
		return this.replayMemory;
	}

	/**
	 * Returns what runs a script, for those of one room.
	 * @return the runner
	 */
	public ScriptRunner runner() {
		return this.runner;
	}

	/**
	 * Returns the channel on which instances are asked, and their answers come. It has a
	 * name of its own.
	 * @return the channel, which is subscribed to while it has a listener
	 */
	public WakeUpSource answers() {
		return this.answers.get();
	}

	/**
	 * Returns how many bytes one request reads or moves at most.
	 * @return the number of bytes
	 */
	public int maxBytes() {
		return this.maxBytes;
	}

	public TopicScripts topics() {
		return this.topics;
	}

	public BundleScripts bundles() {
		return this.bundles;
	}

	public SteerScript steer() {
		return new SteerScript(this);
	}

	public StoredMessages messages() {
		return new StoredMessages(this);
	}

	public ScanScript scan() {
		return new ScanScript(this);
	}

	public FarScript far() {
		return new FarScript(this.runner, this.wakePrefix, this.maxBytes, this.coldTier);
	}

	PackedReader packed() {
		return new PackedReader(far());
	}

	/**
	 * Returns the database of cold messages.
	 * @return what all scripts ask
	 */
	public ColdTier coldTier() {
		return this.coldTier;
	}

	public LanesScript lanes() {
		return new LanesScript(this.runner);
	}

	public CountScript count() {
		return new CountScript(this.runner);
	}

	public QueueNames names() {
		return new QueueNames(this.runner);
	}

	String wakePrefix() {
		return this.wakePrefix.get();
	}

	String newLane() {
		return this.lanes.next();
	}

	DeleteScript.Watch deletions() {
		return this.deletions;
	}

	CompletableFuture<?> restoreTicks(String queue) {
		return this.ticksGone.apply(queue);
	}

	void restoreTicksSoon(String queue) {
		this.someTicksGone.accept(queue);
	}

}
