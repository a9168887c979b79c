package io.redelay.queue.simulation;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

import io.redelay.queue.GroupFilter;
import io.redelay.queue.admin.QueueCheck;
import io.redelay.queue.admin.engine.QueueChecks;
import io.redelay.queue.claim.QueueListenerContainer;
import io.redelay.queue.deadletter.DeadLetterSettings;
import io.redelay.queue.failure.RetrySettings;
import io.redelay.queue.handle.ContainerSettings;
import io.redelay.queue.idempotency.IdempotencySettings;
import io.redelay.queue.limits.GroupName;
import io.redelay.queue.limits.PartitionName;
import io.redelay.queue.limits.RateLimit;
import io.redelay.queue.listener.ConversionFailureAction;
import io.redelay.queue.message.ClaimLimits;
import io.redelay.queue.message.SimulatedUids;
import io.redelay.queue.message.TopicRetention;
import io.redelay.queue.notes.CheckpointConverter;
import io.redelay.queue.partition.QueuePartitions;
import io.redelay.queue.request.Rollback;
import io.redelay.queue.script.admin.AdminScripts;
import io.redelay.queue.script.admin.JobsKey;
import io.redelay.queue.topic.TopicSettings;
import io.redelay.queue.wire.SimulatedConnection;
import io.redelay.queue.work.CancellationMode;
import io.redelay.queue.work.IdempotencyScope;
import io.redelay.test.VirtualTime;

import org.springframework.messaging.converter.StringMessageConverter;

import static java.nio.charset.StandardCharsets.UTF_8;

/**
 * One run of some instances that send and listen to one queue, all on the calling thread,
 * by the scripts of the jar. The seed decides all that is left to chance: which task runs
 * next, what the network delays, loses and repeats, what becomes of instances and of the
 * server, what is sent, cancelled and given another time, and how long handlers take.
 * <p>
 * In every third run nothing fails, so that messages must be handled when they are due;
 * in every sixth instances are killed and nothing else fails, so that what they held must
 * come again when their leases are over; in the others all must be handled in the end.
 * The {@link History} says whether what happened is what the guarantees promise.
 */
final class Simulation {

	/**
	 * The system property that has the names of what is left out of a run, separated by
	 * commas.
	 */
	static final String DROPPED = "redelay.test.dropped";

	static final String QUEUE = "simulated";

	static final String TOPIC = "news";

	static final List<String> GROUPS = List.of("a", "b");

	private static final int MAX_ATTEMPTS = 4;

	static final int PARTITIONS = 3;

	/**
	 * How often the recurring message ticks.
	 */
	static final int TICKS = 6;

	/**
	 * How long a key is done after an action has succeeded.
	 */
	static final Duration WINDOW = Duration.ofSeconds(6);

	static final CheckpointConverter CHECKPOINTS = new CheckpointConverter(new StringMessageConverter());

	/**
	 * While this passes, messages are sent and things fail.
	 */
	private static final Duration BUSY = Duration.ofSeconds(40);

	/**
	 * In this time everything ends after that: a killed instance's leases run out, one
	 * suspect after the other is handled, and retries come back.
	 */
	private static final Duration REST = Duration.ofMinutes(25);

	/**
	 * How late a message may be handled if nothing fails: much less than a lease, at
	 * whose end idle lanes look, and than the interval of the safety poll.
	 */
	static final Duration LATEST = Duration.ofSeconds(5);

	private static final Duration BACKOFF = Duration.ofMillis(500);

	/**
	 * How long messages are sent if only instances are killed: longer, so that much is
	 * sent after their leases.
	 */
	private static final Duration KILLING = Duration.ofSeconds(90);

	private static final Duration STEP = Duration.ofSeconds(5);

	/**
	 * In this time the containers stop.
	 */
	private static final Duration STOPPING = Duration.ofMinutes(1);

	private static final int KEPT_LINES = 200;

	/**
	 * Makes very different numbers of seeds that follow one another, for which the first
	 * choices of a random would be alike: 2^64 divided by the golden ratio.
	 */
	private static final long MIXER = 0x9E3779B97F4A7C15L;

	private final long seed;

	final Random random;

	final VirtualTime time;

	/**
	 * Whether instances are killed, and nothing else fails.
	 */
	final boolean killing;

	final boolean faulty;

	final boolean keyed;

	final boolean steered;

	/**
	 * Whether the queue is paused and its gates are closed.
	 */
	final boolean gated;

	/**
	 * Whether handlers send messages with their acknowledgements.
	 */
	final boolean stepping;

	final boolean bundling;

	/**
	 * Whether handlers act once for a key.
	 */
	final boolean acting;

	final boolean saving;

	final boolean recurring;

	/**
	 * Whether the queue has several partitions.
	 */
	final boolean divided;

	/**
	 * Whether there are jobs on many messages.
	 */
	final boolean bulk;

	/**
	 * Whether what is published is kept, and given to groups once more.
	 */
	final boolean replaying;

	/**
	 * Whether the listener succeeds once for an idempotency key.
	 */
	final boolean once;

	/**
	 * Whether the rate of the queue is changed meanwhile.
	 */
	private final boolean changesRate;

	/**
	 * Whether other limits of the queue are changed meanwhile.
	 */
	private final boolean changesLimits;

	final ClaimLimits limits;

	/**
	 * The limit that the queue shares with the groups of the topic, or {@code null}.
	 */
	private final ClaimLimits.Shared shared;

	/**
	 * Chances of what has to do with packed messages.
	 */
	private final Random ofFar;

	/**
	 * Chances of what has to do with changed limits.
	 */
	private final Random ofLimits;

	/**
	 * Chances of what has to do with the filters of groups.
	 */
	private final Random ofFilters;

	/**
	 * The filters of the groups, or {@code null} if these get all that is published.
	 */
	final GroupFilters filters;

	/**
	 * How far away messages must be that are packed: some of them are.
	 */
	private final Duration horizon;

	/**
	 * How many more moves of packed messages something fails in the midst of.
	 */
	private int disturbances;

	private final SharedLimit sharing;

	private final TopicRetention retention;

	private final UnaryOperator<String> scripts;

	private final Set<String> dropped;

	/**
	 * Whether bounds of the scripts are {@linkplain LowerBounds lower}.
	 */
	private final boolean lowered;

	private final List<String> parts = new ArrayList<>();

	final Set<String> features = new HashSet<>();

	final Messages messages;

	private final Map<String, Integer> counts = new TreeMap<>();

	final SimulatedServer server;

	/**
	 * What is known of the messages of the queue.
	 */
	final History history;

	/**
	 * What is known of each queue: that one, and the groups of the topic.
	 */
	final Runs runs;

	/**
	 * The runs of the listener's handlers.
	 */
	final Runs handled;

	final Map<String, History> histories = new LinkedHashMap<>();

	final boolean publishing;

	final SimulatedNetwork network;

	private final List<Instance> instances = new ArrayList<>();

	private final List<String> journal = new ArrayList<>();

	final Senders senders = new Senders(this);

	final Handlers handlers = new Handlers(this);

	final Jobs jobs = new Jobs(this);

	final Replays replays = new Replays(this);

	private final LimitChanges limitChanges = new LimitChanges(this);

	/**
	 * Whether the instance is killed whose handler runs next.
	 */
	private boolean killsHandler;

	/**
	 * Creates a run.
	 * @param scripts gives the text of a script another form, always the same for one
	 * Redis
	 * @param dropped the features and events that are left out, of those that are
	 * {@linkplain #parts() planned}
	 */
	Simulation(long seed, MemoryRedis redis, UnaryOperator<String> scripts, Set<String> dropped) {
		this.scripts = scripts;
		this.dropped = dropped;
		this.lowered = seed % 4 == 2;
		this.seed = seed;
		this.random = new Random(seed);
		this.time = new VirtualTime(this.random::nextInt);
		this.killing = seed % 6 == 1;
		this.faulty = seed % 3 != 0 && !this.killing;
		this.keyed = has("keys", this.random.nextBoolean());
		has("ids", this.random.nextInt(3) == 0);
		this.steered = has("commands", this.random.nextInt(3) == 0);
		has("deduplication", this.random.nextInt(3) == 0);
		has("expiry", this.random.nextInt(3) == 0);
		this.divided = has("partitions", this.random.nextInt(5) == 0);
		this.gated = has("gates", this.random.nextInt(4) == 0 && !this.divided);
		this.stepping = has("next steps", this.random.nextInt(3) == 0);
		// What came to the simulation later has chances of its own, so that a seed keeps
		// the rest of its run.
		Random later = new Random(seed * MIXER);
		boolean shares = has("shared limits", later.nextInt(6) == 0 && !this.divided);
		this.publishing = has("topics", this.random.nextInt(5) == 0 || shares);
		this.bundling = has("bundles", this.random.nextInt(5) == 0);
		this.acting = has("idempotency keys", this.random.nextInt(5) == 0);
		this.saving = has("checkpoints", this.random.nextInt(5) == 0);
		this.recurring = has("recurring messages", this.random.nextInt(5) == 0);
		this.ofFar = new Random(seed * MIXER + 1);
		this.horizon = SimulatedInstance.millis(this.ofFar, 1000, 8000);
		boolean isFar = has("far messages", this.ofFar.nextBoolean());
		boolean disturbs = has("disturbed moves", isFar && this.faulty && this.ofFar.nextBoolean());
		this.disturbances = disturbs ? 1 + this.ofFar.nextInt(3) : 0;
		ClaimLimits chosen = chooseLimits();
		ClaimLimits own = has("limits", this.random.nextInt(4) == 0 && !this.divided) ? chosen : ClaimLimits.NONE;
		this.bulk = has("jobs", later.nextInt(5) == 0);
		this.replaying = has("replays", later.nextInt(2) == 0 && this.publishing);
		this.retention = later.nextBoolean() ? new TopicRetention(Duration.ofHours(1), 0, 0)
				: new TopicRetention(Duration.ZERO, 3 + later.nextInt(8), 0);
		this.once = has("idempotent listeners",
				later.nextInt(6) == 0 && !this.keyed && !this.divided && !this.recurring);
		has("cold messages", seed % 2 == 0 && this.features.contains("far messages"));
		boolean changeable = !this.divided && !shares && !own.isLimited();
		this.changesRate = has("changed limits", later.nextInt(6) == 0 && changeable);
		this.ofLimits = new Random(seed * MIXER + 2);
		this.changesLimits = has("other changed limits", this.ofLimits.nextInt(4) == 0 && changeable);
		this.ofFilters = new Random(seed * MIXER + 3);
		this.filters = has("group filters", this.ofFilters.nextBoolean() && this.publishing)
				? new GroupFilters(this, this.ofFilters) : null;
		this.shared = shares ? chooseSharedLimit(later) : null;
		this.sharing = shares ? new SharedLimit(this.shared) : null;
		this.limits = limits(own);
		this.messages = new Messages(this.random, this.features::contains);
		this.network = new SimulatedNetwork(this.time, this.random, this.faulty, this::count);
		this.server = new SimulatedServer(redis, this.time,
				this.random.nextBoolean() ? MemoryRedis.LISTPACK_ENTRIES : 2);
		this.server.beforeMove(this::disturb);
		this.server.beforeLook(this::steerMeanwhile);
		this.history = history(QUEUE, this.limits);
		this.runs = new Runs(this.server.runs(), WINDOW.toMillis(), this::violated);
		this.handled = new Runs(this.server.runs(), WINDOW.toMillis(), this::violated);
		if (this.publishing) {
			GROUPS.forEach((group) -> history(GroupName.of(TOPIC, group), limits(ClaimLimits.NONE)));
		}
	}

	private History history(String queue, ClaimLimits limits) {
		History history = new History(this.server.leases(), (story) -> isDead(queue, story),
				() -> this.time.elapsed().toMillis(), new History.Terms(BACKOFF.toMillis(), limits, this.sharing,
						this.once && queue.equals(QUEUE), !this.faulty));
		this.histories.put(queue, history);
		if (this.sharing != null) {
			this.sharing.add(history);
		}
		return history;
	}

	/**
	 * Returns limits of a queue with the one that it shares.
	 */
	private ClaimLimits limits(ClaimLimits own) {
		return new ClaimLimits(own.rate(), own.maxInFlight(), own.keyRate(), own.keyMaxInFlight(), this.shared);
	}

	private static ClaimLimits.Shared chooseSharedLimit(Random random) {
		RateLimit rate = new RateLimit(2 + random.nextInt(8), Duration.ofMillis(200 + random.nextInt(1500)),
				random.nextBoolean());
		int maxInFlight = 1 + random.nextInt(4);
		return switch (random.nextInt(3)) {
			case 0 -> new ClaimLimits.Shared("service", rate, null);
			case 1 -> new ClaimLimits.Shared("service", null, maxInFlight);
			default -> new ClaimLimits.Shared("service", rate, maxInFlight);
		};
	}

	private ClaimLimits chooseLimits() {
		RateLimit rate = new RateLimit(2 + this.random.nextInt(8), Duration.ofMillis(200 + this.random.nextInt(1500)),
				this.random.nextBoolean());
		RateLimit keyRate = new RateLimit(1 + this.random.nextInt(4),
				Duration.ofMillis(200 + this.random.nextInt(1500)), this.random.nextBoolean());
		boolean ofKeys = this.random.nextInt(3) == 0;
		return new ClaimLimits(this.random.nextBoolean() ? rate : null,
				this.random.nextBoolean() ? 1 + this.random.nextInt(4) : null,
				(ofKeys && this.random.nextBoolean()) ? keyRate : null, ofKeys ? 1 + this.random.nextInt(2) : null,
				null);
	}

	/**
	 * Returns whether a message is dead, as Redis says.
	 */
	boolean isDead(String queue, Story story) {
		// What was gathered has the name of another message.
		boolean renamed = story.mayHaveOtherName();
		return stored(queue, "dead:messages").stream()
			.anyMatch(
					(dead) -> story.names.stream().anyMatch((uid) -> this.server.look("HEXISTS", dead, uid).equals(1L))
							|| (renamed && ((List<?>) this.server.look("HGETALL", dead)).stream()
								.anyMatch((text) -> new String((byte[]) text, UTF_8).contains('"' + story.uid + '"'))));
	}

	/**
	 * Runs, and checks.
	 * @return what happened, a line each
	 * @throws AssertionError with the seed and what happened last, if something is wrong
	 */
	List<String> run() {
		SimulatedUids.run(new Random(this.seed), this::play);
		return this.journal;
	}

	private void play() {
		try {
			int count = 1 + this.random.nextInt(3);
			for (int i = 0; i < count; i++) {
				start();
			}
			for (int i = this.random.nextInt(10); i >= 0; i--) {
				plan("sends " + i, this.senders::sendSome, sometime());
			}
			for (int i = (this.publishing ? 1 + this.random.nextInt(8) : 0); i > 0; i--) {
				plan("publishes " + i, this.senders::publish, sometime());
			}
			for (int i = (this.bundling ? 1 + this.random.nextInt(4) : 0); i > 0; i--) {
				plan("bundle " + i, this.senders::bundle, sometime());
			}
			for (int i = (this.faulty ? this.random.nextInt(6) : 0); i > 0; i--) {
				plan("fault " + i, this::fail, sometime());
			}
			for (int i = (this.killing ? 1 + this.random.nextInt(2) : 0); i > 0; i--) {
				plan("kill " + i, this::killOne, SimulatedInstance.millis(this.random, 0, 40_000));
			}
			for (int i = (this.steered ? this.random.nextInt(20) : 0); i > 0; i--) {
				plan("command " + i, this.senders::steer, sometime());
			}
			for (int i = (this.gated ? 1 + this.random.nextInt(6) : 0); i > 0; i--) {
				plan("gate " + i, this.senders::close, sometime());
			}
			for (int i = (this.bulk ? 1 + this.random.nextInt(5) : 0); i > 0; i--) {
				plan("job " + i, this.jobs::begin, sometime());
			}
			for (int i = (this.changesRate ? 1 + this.random.nextInt(5) : 0); i > 0; i--) {
				plan("limit " + i, this.limitChanges::changeRate, sometime());
			}
			for (int i = (this.changesLimits ? 1 + this.ofLimits.nextInt(8) : 0); i > 0; i--) {
				plan("other limit " + i, () -> this.limitChanges.changeOther(this.ofLimits), sometime(this.ofLimits));
			}
			for (int i = ((this.filters != null) ? this.ofFilters.nextInt(5) : 0); i > 0; i--) {
				plan("filter " + i, this.filters::change, sometime(this.ofFilters));
			}
			for (int i = (this.replaying ? 1 + this.random.nextInt(3) : 0); i > 0; i--) {
				plan("replay " + i, this.replays::replay, sometime());
			}
			for (long busy = busy().toSeconds(); busy > 0; busy -= 5) {
				advance(Duration.ofSeconds(5));
				if (!this.faulty && !this.gated && !isLimited()) {
					this.histories.values().forEach((each) -> each.checkLate(LATEST.toMillis()));
				}
			}
			this.network.heal();
			if (this.instances.stream().noneMatch(Instance::listens)) {
				start();
			}
			for (long rest = REST.toSeconds(); rest > 0 && !isOver(); rest -= STEP.toSeconds()) {
				this.senders.reopen();
				advance(STEP);
			}
			checkEnd();
			stop();
			throwViolation();
			this.counts.put("requests", this.server.requests());
			this.counts.putAll(this.server.moves());
		}
		catch (AssertionError | RuntimeException ex) {
			String without = this.dropped.isEmpty() ? ""
					: " '-D" + DROPPED + "=" + String.join(",", this.dropped) + "'";
			throw new AssertionError("The run of the seed " + this.seed + " failed: " + ex.getMessage()
					+ ". Repeat it with -Dredelay.test.seed=" + this.seed + " -Dredelay.test.seeds=1" + without
					+ ". What happened last:\n"
					+ String.join("\n",
							this.journal.subList(Math.max(0, this.journal.size() - KEPT_LINES), this.journal.size())),
					ex);
		}
	}

	private void advance(Duration duration) {
		this.time.advance(duration);
		throwViolation();
	}

	private void throwViolation() {
		if (violation() != null) {
			throw new AssertionError(violation());
		}
	}

	private String violation() {
		return this.histories.values()
			.stream()
			.map(History::violation)
			.filter(Objects::nonNull)
			.findFirst()
			.orElse(null);
	}

	long now() {
		return this.server.millis();
	}

	void note(String line) {
		if (violation() == null) {
			this.journal.add(this.time.elapsed().toNanos() / 1000 + " us: " + line);
		}
	}

	// What happens

	private void start() {
		Instance instance = new Instance("i" + (this.instances.size() + 1));
		this.instances.add(instance);
		note(instance + " starts with concurrency " + instance.concurrency);
		instance.threads.execute(instance::start);
	}

	private Duration sometime() {
		return sometime(this.random);
	}

	private Duration sometime(Random random) {
		return SimulatedInstance.millis(random, 0, (int) busy().toMillis());
	}

	private Duration busy() {
		return this.killing ? KILLING : BUSY;
	}

	private boolean has(String feature, boolean chosen) {
		if (chosen) {
			this.parts.add(feature);
		}
		if (chosen && !this.dropped.contains(feature)) {
			this.features.add(feature);
		}
		return this.features.contains(feature);
	}

	private void plan(String name, Runnable event, Duration delay) {
		this.parts.add(name);
		if (!this.dropped.contains(name)) {
			this.time.schedule(event, delay);
		}
	}

	/**
	 * Returns the names of the features and events of the run, those that are left out
	 * among them.
	 */
	List<String> parts() {
		return this.parts;
	}

	void count(String what) {
		this.counts.merge(what, 1, Integer::sum);
	}

	/**
	 * Returns how often what happened.
	 */
	Map<String, Integer> counts() {
		return this.counts;
	}

	private void fail() {
		List<Instance> living = living();
		if (living.isEmpty()) {
			start();
			return;
		}
		Instance victim = living.get(this.random.nextInt(living.size()));
		switch (this.random.nextInt(9)) {
			case 0 -> kill(victim);
			case 1 -> {
				count("instances stand still");
				Duration pause = SimulatedInstance.millis(this.random, 100, 45_000);
				note(victim + " stands still for " + pause);
				this.histories.values().forEach((each) -> each.standsStill(victim.toString(), pause.toMillis()));
				victim.threads.standStill(pause);
			}
			case 6 -> end(victim);
			case 7 -> {
				count("scripts flushed");
				note("the server forgets its scripts");
				this.server.flushScripts();
			}
			case 2 -> restart();
			case 3 -> goBack(SimulatedInstance.millis(this.random, 0, 8000));
			case 4 -> jump();
			case 5 -> fill();
			default -> start();
		}
	}

	/**
	 * Has something fail in the midst of a move of packed messages: soon after the
	 * request has arrived, so before or after its reply does.
	 */
	private void disturb() {
		if (this.disturbances == 0 || this.ofFar.nextInt(3) > 0 || this.time.elapsed().compareTo(BUSY) > 0) {
			return;
		}
		this.disturbances--;
		count("moves disturbed");
		note("something fails while packed messages move");
		Duration soon = SimulatedInstance.millis(this.ofFar, 0, 4);
		switch (this.ofFar.nextInt(6)) {
			case 0 -> this.time.schedule(this::restart, soon);
			case 1 -> goBack(SimulatedInstance.millis(this.ofFar, 0, 50));
			case 2 -> this.time.schedule(this::jump, soon);
			case 3 -> fill();
			case 4 -> this.server.flushScripts();
			default -> this.time.schedule(() -> {
				if (living().size() > 1) {
					kill(living().get(this.ofFar.nextInt(living().size())));
				}
			}, soon);
		}
	}

	/**
	 * Has a message be cancelled or rescheduled between the look at it and its packing.
	 */
	private void steerMeanwhile() {
		if (this.steered && this.ofFar.nextInt(3) == 0 && this.time.elapsed().compareTo(BUSY) < 0) {
			this.time.schedule(() -> this.senders.steerFar(this.horizon, this.ofFar),
					SimulatedInstance.millis(this.ofFar, 0, 3));
		}
	}

	private void kill(Instance victim) {
		count("instances killed");
		note(victim + " is killed");
		victim.application.kill();
		this.histories.values().forEach((each) -> each.killed(victim.toString()));
	}

	/**
	 * Kills an instance, if others are there.
	 */
	void killUnlessAlone(Instance instance) {
		if (living().size() > 1 && living().contains(instance)) {
			kill(instance);
		}
	}

	/**
	 * Kills an instance, of which others are there: at once, or when a handler runs next,
	 * so that it holds a message.
	 */
	private void killOne() {
		if (living().size() < 2) {
			start();
		}
		else if (this.random.nextBoolean()) {
			this.killsHandler = true;
		}
		else {
			kill(living().get(this.random.nextInt(living().size())));
		}
	}

	/**
	 * Stops an instance's listener in good order.
	 */
	private void end(Instance instance) {
		count("listeners stopped");
		note(instance + " stops to listen");
		this.histories.values().forEach((each) -> each.stops(instance.toString()));
		this.handled.stopped(instance.toString());
		instance.stopped = true;
		instance.threads.execute(instance::stop);
	}

	private void restart() {
		count("server restarted");
		Duration away = SimulatedInstance.millis(this.random, 0, 5000);
		note("the server restarts, and is away for " + away);
		this.server.stop();
		this.time.schedule(() -> {
			this.server.start("%040x".formatted(this.random.nextInt(1_000_000)));
			living().forEach(
					(instance) -> this.time.schedule(() -> instance.threads.execute(instance.application::reconnect),
							SimulatedInstance.millis(this.random, 0, 2000)));
		}, away);
	}

	/**
	 * Has the server go back some seconds, as a replica that lagged.
	 */
	private void goBack(Duration after) {
		this.server.save();
		List<Runnable> goBack = new ArrayList<>();
		long to = this.history.event();
		this.histories.values().forEach((each) -> {
			long event = each.event();
			goBack.add(() -> each.wentBack(event));
		});
		this.time.schedule(() -> {
			count("server gone back");
			note("the server goes back to where it was " + (this.history.event() - to) + " events ago");
			restart();
			this.server.goBack();
			goBack.forEach(Runnable::run);
			if (this.filters != null) {
				this.filters.wentBack();
			}
			this.runs.disturbed(this.time.elapsed().toMillis());
			this.handled.disturbed(this.time.elapsed().toMillis());
		}, after);
	}

	private void jump() {
		Duration by = Duration.ofMillis(this.random.nextInt(120_000) - 60_000);
		count("clock jumped");
		note("the server's clock jumps by " + by);
		this.histories.values().forEach((each) -> each.jumped(by.toMillis(), now()));
		this.runs.disturbed(this.time.elapsed().toMillis());
		this.handled.disturbed(this.time.elapsed().toMillis());
		if (by.isNegative()) {
			this.jobs.clockGoesBack();
		}
		this.server.jump(by);
	}

	private void fill() {
		count("server full");
		note("the server is full");
		this.server.setFull(true);
		this.time.schedule(() -> {
			note("the server has room");
			this.server.setFull(false);
		}, SimulatedInstance.millis(this.random, 0, 20_000));
	}

	List<Instance> living() {
		return this.instances.stream().filter((instance) -> !instance.threads.isKilled()).toList();
	}

	/**
	 * Kills an instance whose handler runs, if it is its turn.
	 * @return whether it did
	 */
	boolean killsHandler(Instance instance) {
		if (!this.killsHandler || living().size() < 2) {
			return false;
		}
		this.killsHandler = false;
		kill(instance);
		return true;
	}

	/**
	 * Returns whether no message waits for anything but a handler.
	 */
	boolean isPrompt() {
		return !this.steered && !this.bulk && !isHindered();
	}

	/**
	 * Returns whether a message may wait for others, or for a limit or a gate.
	 */
	boolean isHindered() {
		return this.keyed || this.gated || this.once || isLimited();
	}

	private boolean isLimited() {
		return this.changesRate || this.changesLimits || this.limits.isLimited();
	}

	private void stop() {
		List<CompletableFuture<Void>> stopped = new ArrayList<>();
		living().forEach((instance) -> instance.threads.execute(() -> stopped.add(instance.stop())));
		for (long rest = STOPPING.toSeconds(); rest > 0 && !areDone(stopped); rest -= STEP.toSeconds()) {
			advance(STEP);
		}
		check(areDone(stopped), "a container does not stop");
	}

	private boolean areDone(List<CompletableFuture<Void>> stopped) {
		return stopped.size() == living().size() && stopped.stream().allMatch(CompletableFuture::isDone);
	}

	// What is checked

	private void checkEnd() {
		check(!this.server.isStopped(), "the server is away at the end");
		throwViolation();
		this.histories.forEach((queue, history) -> {
			history.checkEnd(names(queue, "messages"), this.faulty, MAX_ATTEMPTS);
			if (!this.faulty && !this.killing) {
				history.checkWaits(LATEST.toMillis(), isPrompt() && !this.bundling, !this.lowered,
						!this.gated && !this.divided && !this.once);
			}
			for (String emptied : List.of("outbox", "bundles", "bundles:pending", "far:chunks")) {
				check(isEmpty(queue, emptied), "the key '" + emptied + "' of the queue '" + queue + "' is left");
			}
		});
		check(!this.recurring || this.history.ticks() == TICKS || this.history.wentBackSince(0),
				this.history.ticks() + " ticks were handled, and there are " + TICKS);
		if (this.bulk) {
			this.jobs.checkEnd(new JobsKey(admin().runner()).list().join(), !this.lowered);
		}
		if (this.replaying && !this.faulty && this.retention.maxCount() == 0) {
			this.replays.checkEnd();
		}
		this.histories.keySet().forEach((queue) -> partitions(queue).forEach(this::checkSound));
	}

	private void checkSound(String queue) {
		QueueCheck found = new QueueChecks(admin()).check(queue);
		check(found.sound(), "the queue '" + queue + "' is not sound: " + found.problems());
	}

	private AdminScripts admin() {
		return SimulatedConnection.admin((script, name, text, keys, args) -> CompletableFuture
			.completedFuture(this.server.run(script, name, text, keys, args)), "redelay", this.time);
	}

	/**
	 * Returns whether nothing is left to do: no message lives or is packed, and no
	 * handler runs.
	 */
	private boolean isOver() {
		return !this.server.isStopped() && this.jobs.areBegun() && this.replays.areOver()
				&& !(this.bulk && this.server.look("HEXISTS", "redelay:jobs", "/running").equals(1L))
				&& this.histories.entrySet()
					.stream()
					.allMatch((each) -> names(each.getKey(), "messages").isEmpty() && each.getValue().isOver()
							&& isEmpty(each.getKey(), "outbox") && isEmpty(each.getKey(), "bundles")
							&& isEmpty(each.getKey(), "far:chunks"));
	}

	private static String key(String queue, String name) {
		return (GroupName.isGroup(queue)
				? "redelay:{" + GroupName.topicOf(queue) + "}" + GroupName.ofTopic("") + GroupName.groupOf(queue)
				: "redelay:{" + queue + "}") + ":" + name;
	}

	private List<String> partitions(String queue) {
		return (this.divided && queue.equals(QUEUE))
				? IntStream.range(0, PARTITIONS).mapToObj((index) -> PartitionName.of(queue, index)).toList()
				: List.of(queue);
	}

	/**
	 * Returns a key of each partition of a queue.
	 */
	private List<String> stored(String queue, String name) {
		return partitions(queue).stream().map((partition) -> key(partition, name)).toList();
	}

	private boolean isEmpty(String queue, String name) {
		return stored(queue, name).stream().allMatch((key) -> this.server.look("EXISTS", key).equals(0L));
	}

	private Set<String> names(String queue, String key) {
		return stored(queue, key).stream()
			.flatMap((stored) -> ((List<?>) this.server.look("HKEYS", stored)).stream())
			.map((name) -> new String((byte[]) name, UTF_8))
			.filter((name) -> !name.contains("/") && !name.startsWith("@"))
			.collect(Collectors.toSet());
	}

	void check(boolean condition, String words) {
		if (!condition) {
			violated(words);
		}
	}

	void violated(String words) {
		note(words);
		this.history.violated(words);
	}

	/**
	 * One instance of the application.
	 */
	final class Instance implements Application.Events {

		final SimulatedInstance threads;

		final Application application;

		private final List<QueueListenerContainer> containers = new ArrayList<>();

		private boolean stopped;

		private final int concurrency = 1 + Simulation.this.random.nextInt(4);

		Instance(String name) {
			this.threads = new SimulatedInstance(name, Simulation.this.time);
			// If a wake-up comes too late or never, a lane has the safety poll.
			Duration poll = (Simulation.this.faulty || Simulation.this.killing) ? Duration.ofSeconds(10)
					: Duration.ofHours(1);
			this.application = new Application(this.threads, new Application.World(Simulation.this.server,
					Simulation.this.network, Simulation.this.scripts, poll, Simulation.this.random::nextDouble,
					Simulation.this.divided ? Map.of(QUEUE, new QueuePartitions.Settings(PARTITIONS, true)) : Map.of(),
					Simulation.this.replaying
							? Map.of(TOPIC,
									new TopicSettings(Duration.ZERO, Duration.ofMinutes(1), Simulation.this.retention))
							: Map.of(),
					Simulation.this.horizon), this);
			if (Simulation.this.recurring) {
				this.application.recurs(QUEUE, "often", Duration.ofSeconds(4), TICKS);
			}
			listen(QUEUE, Simulation.this.limits);
			if (Simulation.this.publishing) {
				GROUPS.forEach((group) -> listen(GroupName.of(TOPIC, group), limits(ClaimLimits.NONE)));
			}
		}

		void start() {
			this.application.start(Simulation.this.features::contains);
			this.application.sentTo(QUEUE);
			this.containers.forEach(QueueListenerContainer::start);
			if (Simulation.this.filters != null) {
				GROUPS.forEach((group) -> this.application.registered(GroupName.of(TOPIC, group))
					.thenRun(() -> Simulation.this.filters.registered(group, this)));
			}
		}

		private void listen(String queue, ClaimLimits limits) {
			boolean once = Simulation.this.once && queue.equals(QUEUE);
			GroupFilter filter = (Simulation.this.filters != null && GroupName.isGroup(queue))
					? Simulation.this.filters.declare(GroupName.groupOf(queue), this) : GroupFilter.NONE;
			this.containers.add(this.application.listener(queue, settings(limits, once, filter), this.concurrency,
					(deliveries) -> Simulation.this.handlers.handle(this, deliveries.get(0))));
		}

		CompletableFuture<Void> stop() {
			return CompletableFuture.allOf(this.containers.stream()
				.map((each) -> each.stop(Duration.ofSeconds(5)))
				.toArray(CompletableFuture[]::new));
		}

		@Override
		public void wentBack(Rollback rollback) {
			note(this + " notices that the server went back: " + rollback);
			Simulation.this.histories.values().forEach(History::repairs);
			check(Simulation.this.faulty, "the server did not go back, as " + this + " believes");
		}

		@Override
		public void violated(String words) {
			Simulation.this.violated(words);
		}

		boolean listens() {
			return !this.stopped && !this.threads.isKilled();
		}

		private ContainerSettings.QueueSettings settings(ClaimLimits limits, boolean once, GroupFilter filter) {
			return new ContainerSettings.QueueSettings(Leases.LEASE, null, new ContainerSettings.FailureSettings(
					new RetrySettings(MAX_ATTEMPTS, (failures) -> BACKOFF, List.of(), ConversionFailureAction.BURY,
							false),
					null,
					new DeadLetterSettings(1000, Duration.ofDays(1), DeadLetterSettings.ANY_SIZE, null, null, null)),
					limits,
					once ? new IdempotencySettings(Messages::idempotencyKey, WINDOW, IdempotencyScope.QUEUE) : null,
					null, CancellationMode.SIGNAL, new ContainerSettings.Filters(filter, null));
		}

		@Override
		public String toString() {
			return this.threads.name();
		}

	}

}
