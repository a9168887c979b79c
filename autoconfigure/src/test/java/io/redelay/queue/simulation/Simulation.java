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
import java.util.TreeSet;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;

import io.redelay.delivery.DeliveryScope;
import io.redelay.queue.Deduplication;
import io.redelay.queue.GroupFilter;
import io.redelay.queue.MessageState;
import io.redelay.queue.QueueWaitException;
import io.redelay.queue.SendOutcome;
import io.redelay.queue.admin.QueueCheck;
import io.redelay.queue.admin.engine.QueueChecks;
import io.redelay.queue.claim.QueueListenerContainer;
import io.redelay.queue.deadletter.DeadLetterSettings;
import io.redelay.queue.failure.RetrySettings;
import io.redelay.queue.handle.ClaimTime;
import io.redelay.queue.handle.ContainerSettings;
import io.redelay.queue.handle.Delivery;
import io.redelay.queue.limits.GroupName;
import io.redelay.queue.limits.RateLimit;
import io.redelay.queue.listener.ConversionFailureAction;
import io.redelay.queue.message.ClaimLimits;
import io.redelay.queue.message.Envelope;
import io.redelay.queue.message.NewMessage;
import io.redelay.queue.message.NextMessage;
import io.redelay.queue.notes.CheckpointConverter;
import io.redelay.queue.request.LaneStatus;
import io.redelay.queue.request.OutcomeUnknownException;
import io.redelay.queue.request.Rollback;
import io.redelay.queue.request.SendReply;
import io.redelay.queue.request.StoreException;
import io.redelay.queue.script.MessageCommand;
import io.redelay.queue.script.NextMessages;
import io.redelay.queue.script.PublishScript;
import io.redelay.queue.script.admin.BundleScript;
import io.redelay.queue.wire.SimulatedConnection;
import io.redelay.queue.work.CancellationMode;
import io.redelay.queue.work.Checkpoint;
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

	private static final String QUEUE = "simulated";

	private static final String TOPIC = "news";

	private static final List<String> GROUPS = List.of("a", "b");

	private static final int MAX_ATTEMPTS = 4;

	/**
	 * How often the recurring message ticks.
	 */
	private static final int TICKS = 6;

	/**
	 * How long a key is done after an action has succeeded.
	 */
	private static final Duration WINDOW = Duration.ofSeconds(6);

	private static final CheckpointConverter CHECKPOINTS = new CheckpointConverter(new StringMessageConverter());

	/**
	 * While this passes, messages are sent and things fail.
	 */
	private static final Duration BUSY = Duration.ofSeconds(40);

	/**
	 * In this time everything ends after that: a killed instance's leases run out, one
	 * suspect after the other is handled, and retries come back.
	 */
	private static final Duration REST = Duration.ofMinutes(10);

	/**
	 * How late a message may be handled if nothing fails: much less than a lease, at
	 * whose end idle lanes look, and than the interval of the safety poll.
	 */
	private static final Duration LATEST = Duration.ofSeconds(5);

	private static final Duration BACKOFF = Duration.ofMillis(500);

	/**
	 * How long messages are sent if only instances are killed: longer, so that much is
	 * sent after their leases.
	 */
	private static final Duration KILLING = Duration.ofSeconds(90);

	private static final Duration STEP = Duration.ofSeconds(20);

	private static final int KEPT_LINES = 200;

	private final long seed;

	private final Random random;

	private final VirtualTime time;

	/**
	 * Whether instances are killed, and nothing else fails.
	 */
	private final boolean killing;

	private final boolean faulty;

	private final boolean keyed;

	private final boolean steered;

	/**
	 * Whether the queue is paused and its gates are closed.
	 */
	private final boolean gated;

	/**
	 * Whether handlers send messages with their acknowledgements.
	 */
	private final boolean stepping;

	private final boolean bundling;

	/**
	 * Whether handlers act once for a key.
	 */
	private final boolean acting;

	private final boolean saving;

	private final boolean recurring;

	private final ClaimLimits limits;

	private final UnaryOperator<String> scripts;

	private final Set<String> dropped;

	private final List<String> parts = new ArrayList<>();

	private final Set<String> features = new HashSet<>();

	private final Messages messages;

	private final Map<String, Integer> counts = new TreeMap<>();

	private final SimulatedServer server;

	/**
	 * What is known of the messages of the queue.
	 */
	private final History history;

	/**
	 * What is known of each queue: that one, and the groups of the topic.
	 */
	private final Runs runs;

	private final Map<String, History> histories = new LinkedHashMap<>();

	private final boolean publishing;

	private final SimulatedNetwork network;

	private final List<Instance> instances = new ArrayList<>();

	private final List<String> journal = new ArrayList<>();

	private final List<String> known = new ArrayList<>();

	/**
	 * The groups that have got copies.
	 */
	private final Set<String> registered = new TreeSet<>();

	private int renamed;

	Simulation(long seed, MemoryRedis redis) {
		this(seed, redis, UnaryOperator.identity(), Set.of());
	}

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
		this.gated = has("gates", this.random.nextInt(4) == 0);
		this.stepping = has("next steps", this.random.nextInt(3) == 0);
		this.publishing = has("topics", this.random.nextInt(4) == 0);
		this.bundling = has("bundles", this.random.nextInt(4) == 0);
		this.acting = has("idempotency keys", this.random.nextInt(4) == 0);
		this.saving = has("checkpoints", this.random.nextInt(4) == 0);
		this.recurring = has("recurring messages", this.random.nextInt(4) == 0);
		ClaimLimits chosen = chooseLimits();
		this.limits = has("limits", this.random.nextInt(4) == 0) ? chosen : ClaimLimits.NONE;
		this.messages = new Messages(this.random, this.features::contains);
		this.network = new SimulatedNetwork(this.time, this.random, this.faulty, this::count);
		this.server = new SimulatedServer(redis, this.time,
				this.random.nextBoolean() ? MemoryRedis.LISTPACK_ENTRIES : 2);
		this.history = history(QUEUE, this.limits);
		this.runs = new Runs(this.server.runs(), WINDOW.toMillis(), this::violated);
		if (this.publishing) {
			GROUPS.forEach((group) -> history(GroupName.of(TOPIC, group), ClaimLimits.NONE));
		}
	}

	private History history(String queue, ClaimLimits limits) {
		History history = new History(this.server.leases(), (story) -> isDead(queue, story),
				() -> this.time.elapsed().toMillis(), new History.Terms(BACKOFF.toMillis(), limits, !this.faulty));
		this.histories.put(queue, history);
		return history;
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

	private boolean isDead(String queue, Story story) {
		String dead = key(queue, "dead:messages");
		if (story.names.stream().anyMatch((uid) -> this.server.look("HEXISTS", dead, uid).equals(1L))) {
			return true;
		}
		// What was gathered has the name of another message.
		return story.deduplication instanceof Deduplication.Aggregate
				&& ((List<?>) this.server.look("HGETALL", dead)).stream()
					.anyMatch((text) -> new String((byte[]) text, UTF_8).contains('"' + story.uid + '"'));
	}

	/**
	 * Runs, and checks.
	 * @return what happened, a line each
	 * @throws AssertionError with the seed and what happened last, if something is wrong
	 */
	List<String> run() {
		try {
			int count = 1 + this.random.nextInt(3);
			for (int i = 0; i < count; i++) {
				start();
			}
			for (int i = this.random.nextInt(10); i >= 0; i--) {
				plan("sends " + i, this::sendSome, sometime());
			}
			for (int i = (this.publishing ? 1 + this.random.nextInt(8) : 0); i > 0; i--) {
				plan("publishes " + i, this::publish, sometime());
			}
			for (int i = (this.bundling ? 1 + this.random.nextInt(4) : 0); i > 0; i--) {
				plan("bundle " + i, this::bundle, sometime());
			}
			for (int i = (this.faulty ? this.random.nextInt(6) : 0); i > 0; i--) {
				plan("fault " + i, this::fail, sometime());
			}
			for (int i = (this.killing ? 1 + this.random.nextInt(2) : 0); i > 0; i--) {
				plan("kill " + i, this::killOne, SimulatedInstance.millis(this.random, 0, 40_000));
			}
			for (int i = (this.steered ? this.random.nextInt(20) : 0); i > 0; i--) {
				plan("command " + i, this::steer, sometime());
			}
			for (int i = (this.gated ? 1 + this.random.nextInt(6) : 0); i > 0; i--) {
				plan("gate " + i, this::close, sometime());
			}
			for (long busy = busy().toSeconds(); busy > 0; busy -= 5) {
				advance(Duration.ofSeconds(5));
				if (!this.faulty && !this.gated && !this.limits.isLimited()) {
					this.histories.values().forEach((each) -> each.checkLate(LATEST.toMillis()));
				}
			}
			this.network.heal();
			if (this.instances.stream().noneMatch(Instance::listens)) {
				start();
			}
			for (long rest = REST.toSeconds(); rest > 0 && !isOver(); rest -= STEP.toSeconds()) {
				reopen();
				advance(STEP);
			}
			checkEnd();
			stop();
			throwViolation();
			this.counts.put("requests", this.server.requests());
			return this.journal;
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

	private long now() {
		return this.server.millis();
	}

	private void note(String line) {
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
		return SimulatedInstance.millis(this.random, 0, (int) busy().toMillis());
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

	private void count(String what) {
		this.counts.merge(what, 1, Integer::sum);
	}

	/**
	 * Returns how often what happened.
	 */
	Map<String, Integer> counts() {
		return this.counts;
	}

	/**
	 * Sends several times in short order, so that requests, replies and wake-ups cross.
	 */
	private void sendSome() {
		for (int i = this.random.nextInt(6); i >= 0; i--) {
			this.time.schedule(this::send, SimulatedInstance.millis(this.random, 0, 30));
		}
	}

	/**
	 * Sends up to five messages together, from any instance that lives.
	 */
	private void send() {
		List<Instance> living = living();
		if (living.isEmpty()) {
			return;
		}
		Instance sender = living.get(this.random.nextInt(living.size()));
		List<Messages.Sending> messages = new ArrayList<>();
		for (int i = this.random.nextInt(5); i >= 0; i--) {
			messages.add(this.messages.next());
		}
		boolean waits = this.random.nextInt(3) == 0;
		sender.threads.execute(() -> send(sender, messages, waits));
	}

	private void send(Instance sender, List<Messages.Sending> messages, boolean waits) {
		note(sender + (waits ? " waits, and sends " : " sends ") + messages);
		List<String> uids = messages.stream().map(Messages.Sending::uid).toList();
		messages.forEach((message) -> {
			this.history.sends(sender.toString(), message, !waits, now());
			if (message.message().deduplication() == null) {
				this.known.add(message.uid());
			}
		});
		List<NewMessage> sent = messages.stream().map(Messages.Sending::message).toList();
		if (waits) {
			count("sends of callers that wait");
		}
		sender.application.send(QUEUE, sent, waits).whenComplete((reply, failure) -> {
			note(sender + " was notified of " + uids + ": " + ((failure != null) ? failure : reply.status()));
			if (failure == null && reply.status() == LaneStatus.OK) {
				for (int i = 0; i < uids.size(); i++) {
					sent(this.history, uids.get(i), reply.fates().get(i), reply.time().toEpochMilli());
				}
			}
			else if (failure == null) {
				count("sends refused: " + reply.status());
				uids.forEach(this.history::refused);
			}
			else if (StoreException.cause(failure) instanceof OutcomeUnknownException) {
				count("sends of unknown outcome");
			}
			else {
				count("sends refused");
				uids.forEach(this.history::refused);
			}
		});
	}

	private void sent(History history, String uid, SendReply.Fate fate, long there) {
		SendOutcome outcome = (fate != null) ? fate.outcome() : SendOutcome.ADDED;
		switch (outcome) {
			case DUPLICATE -> {
				count("duplicates");
				history.duplicate(uid, this.faulty || this.killing || this.steered);
			}
			case REPLACED, GATHERED -> {
				count((outcome == SendOutcome.REPLACED) ? "messages replaced" : "messages gathered");
				history.joined(uid, fate.other(), there);
			}
			default -> {
				count("sends acknowledged");
				history.sent(uid, there);
			}
		}
	}

	/**
	 * Publishes up to three messages to all groups of the topic.
	 */
	private void publish() {
		List<Instance> living = living();
		if (living.isEmpty()) {
			return;
		}
		Instance sender = living.get(this.random.nextInt(living.size()));
		List<Messages.Sending> messages = new ArrayList<>();
		for (int i = this.random.nextInt(3); i >= 0; i--) {
			messages.add(this.messages.next());
		}
		sender.threads.execute(() -> publish(sender, messages));
	}

	private void publish(Instance sender, List<Messages.Sending> messages) {
		note(sender + " publishes " + messages);
		List<String> registered = List.copyOf(this.registered);
		groups().forEach((history) -> messages
			.forEach((message) -> history.sends(sender.toString(), message, true, now())));
		sender.application.publish(TOPIC, messages.stream().map(Messages.Sending::message).toList())
			.whenComplete((reply, failure) -> {
				note(sender + " was notified of " + messages.stream().map(Messages.Sending::uid).toList() + ": "
						+ ((failure != null) ? failure : reply.status() + " " + reply.groups().keySet()));
				if (failure == null && reply.status() == LaneStatus.OK) {
					count("publications");
					published(messages, reply);
					this.registered.addAll(reply.groups().keySet());
					check(this.history.wentBackSince(0) || reply.groups().keySet().containsAll(registered),
							"only the groups " + reply.groups().keySet() + " got copies, and there are " + registered);
				}
				else if (failure == null || !(StoreException.cause(failure) instanceof OutcomeUnknownException)) {
					groups().forEach((history) -> messages.forEach((message) -> history.refused(message.uid())));
				}
			});
	}

	private void published(List<Messages.Sending> messages, PublishScript.Result reply) {
		GROUPS.forEach((group) -> {
			History history = this.histories.get(GroupName.of(TOPIC, group));
			SendReply sent = reply.groups().get(group);
			for (int i = 0; i < messages.size(); i++) {
				if (sent == null) {
					history.refused(messages.get(i).uid());
				}
				else {
					sent(history, messages.get(i).uid(), sent.fates().get(i), reply.time().toEpochMilli());
				}
			}
		});
	}

	private List<History> groups() {
		return GROUPS.stream().map((group) -> this.histories.get(GroupName.of(TOPIC, group))).toList();
	}

	/**
	 * Sends a bundle of up to six messages, at once or bit by bit.
	 */
	private void bundle() {
		List<Instance> living = living();
		if (living.isEmpty()) {
			return;
		}
		Instance sender = living.get(this.random.nextInt(living.size()));
		Messages.Sending callback = this.messages.callback();
		List<Messages.Sending> messages = new ArrayList<>();
		for (int i = this.random.nextInt(6); i >= 0; i--) {
			messages.add(this.messages.member(QUEUE, callback.uid()));
		}
		int first = 1 + this.random.nextInt(messages.size());
		sender.threads.execute(() -> bundle(sender, callback, messages, first));
	}

	private void bundle(Instance sender, Messages.Sending callback, List<Messages.Sending> messages, int first) {
		List<Messages.Sending> begin = messages.subList(0, first);
		List<Messages.Sending> rest = messages.subList(first, messages.size());
		this.history.sends(sender.toString(), callback, false, now());
		add(sender, callback, begin, (added) -> sender.application.open(QUEUE, callback.uid(), added, rest.isEmpty()),
				() -> {
					if (!rest.isEmpty()) {
						sender.threads.schedule(() -> add(sender, callback, rest,
								(added) -> sender.application.close(QUEUE, callback.uid(), added), () -> {
								}), SimulatedInstance.millis(this.random, 0, 5000));
					}
				});
	}

	private void add(Instance sender, Messages.Sending callback, List<Messages.Sending> messages,
			Function<List<NewMessage>, CompletableFuture<BundleScript.Result>> request, Runnable next) {
		note(sender + " adds " + messages + " to the bundle " + callback.uid());
		this.history.sendsInBundle(sender.toString(), callback.uid(), messages, now());
		request.apply(messages.stream().map(Messages.Sending::message).toList()).whenComplete((reply, failure) -> {
			note(sender + " was notified of the bundle " + callback.uid() + ": "
					+ ((failure != null) ? failure : reply.answers()));
			if (failure == null && !reply.answers().contains(BundleScript.Result.UNKNOWN)) {
				count("bundles added to");
				messages.forEach((message) -> this.history.taken(message.uid()));
				this.history.taken(callback.uid());
				next.run();
			}
			else if (failure == null) {
				check(this.faulty || this.killing, "the bundle " + callback.uid() + " is not known");
			}
		});
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
				victim.threads.standStill(pause);
			}
			case 6 -> end(victim);
			case 7 -> {
				count("scripts flushed");
				note("the server forgets its scripts");
				this.server.flushScripts();
			}
			case 2 -> restart();
			case 3 -> goBack();
			case 4 -> jump();
			case 5 -> fill();
			default -> start();
		}
	}

	private void kill(Instance victim) {
		count("instances killed");
		note(victim + " is killed");
		victim.application.kill();
		this.histories.values().forEach((each) -> each.killed(victim.toString()));
	}

	/**
	 * Kills an instance, of which others are there.
	 */
	private void killOne() {
		if (living().size() < 2) {
			start();
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
		instance.stopped = true;
		instance.threads.execute(instance::stop);
	}

	/**
	 * Cancels a message, or has it due at another time.
	 */
	private void steer() {
		List<Instance> living = living();
		if (living.isEmpty() || this.known.isEmpty()) {
			return;
		}
		Instance instance = living.get(this.random.nextInt(living.size()));
		String uid = this.known.get(this.random.nextInt(this.known.size()));
		boolean cancels = this.random.nextBoolean();
		Duration delay = Duration.ofMillis(this.random.nextInt(10_000));
		String fresh = uid.substring(0, 5) + "." + ++this.renamed;
		instance.threads.execute(() -> {
			note(instance + (cancels ? " cancels " : " has due in " + delay + " ") + uid);
			long asked = this.history.event();
			long due = now() + delay.toMillis();
			if (cancels) {
				this.history.cancels(uid);
			}
			else {
				this.history.reschedules(uid, fresh);
				this.known.add(fresh);
			}
			instance.application
				.command(QUEUE,
						cancels ? new MessageCommand(MessageCommand.Action.CANCEL, uid, "", "-")
								: new MessageCommand(MessageCommand.Action.SCHEDULE, uid, MessageCommand.after(delay),
										fresh))
				.whenComplete((result, failure) -> {
					note(instance + " was notified of its command on " + uid + ": "
							+ ((failure != null) ? failure : result));
					if (failure == null && result.isDone()) {
						boolean waited = result.state() == MessageState.SCHEDULED
								|| result.state() == MessageState.READY;
						count(cancels ? "messages cancelled" : "messages rescheduled");
						if (cancels && waited) {
							this.history.cancelled(uid);
						}
						else if (!cancels) {
							this.history.rescheduled(uid, asked, due);
						}
					}
				});
		});
	}

	/**
	 * Pauses the queue, closes it for sends, or closes a gate of it or of a fairness key,
	 * and opens it again.
	 */
	private void close() {
		if (living().isEmpty()) {
			return;
		}
		Duration duration = SimulatedInstance.millis(this.random, 100, 9000);
		switch (this.random.nextInt(4)) {
			case 0 -> {
				command(Claims.PAUSE, MessageCommand.flag(Claims.PAUSE, true), Long.MAX_VALUE);
				this.time.schedule(() -> command(Claims.PAUSE, MessageCommand.flag(Claims.PAUSE, false), 0), duration);
			}
			case 1 -> {
				command("closed", MessageCommand.flag("closed", true), 0);
				this.time.schedule(() -> command("closed", MessageCommand.flag("closed", false), 0), duration);
			}
			default -> {
				String key = this.random.nextBoolean() ? "" : "f" + this.random.nextInt(3);
				boolean opens = this.random.nextInt(4) == 0;
				command(Claims.GATE + key, MessageCommand.gate(key, opens ? Duration.ZERO : duration),
						opens ? 0 : now() + duration.toMillis());
			}
		}
	}

	/**
	 * Opens what is paused or closed, also where a pause was repeated as the server went
	 * back.
	 */
	private void reopen() {
		if (this.gated && !living().isEmpty()) {
			command(Claims.PAUSE, MessageCommand.flag(Claims.PAUSE, false), 0);
			command("closed", MessageCommand.flag("closed", false), 0);
		}
	}

	private void command(String what, MessageCommand command, long until) {
		List<Instance> living = living();
		if (living.isEmpty()) {
			return;
		}
		Instance instance = living.get(this.random.nextInt(living.size()));
		instance.threads.execute(() -> {
			this.history.commands(what, now());
			instance.application.command(QUEUE, command).whenComplete((result, failure) -> {
				if (failure != null || result.isDone()) {
					count("pauses and gates");
					note(instance + " has set " + what + " to '" + command.argument() + "'"
							+ ((failure != null) ? ": " + failure : ""));
				}
				this.history.commanded(what, now(), (failure == null) ? until : 0);
			});
		});
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
	private void goBack() {
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
			this.runs.disturbed(this.time.elapsed().toMillis());
		}, SimulatedInstance.millis(this.random, 0, 8000));
	}

	private void jump() {
		Duration by = Duration.ofMillis(this.random.nextInt(120_000) - 60_000);
		count("clock jumped");
		note("the server's clock jumps by " + by);
		this.histories.values().forEach((each) -> each.jumped(by.toMillis(), now()));
		this.runs.disturbed(this.time.elapsed().toMillis());
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

	private List<Instance> living() {
		return this.instances.stream().filter((instance) -> !instance.threads.isKilled()).toList();
	}

	private CompletionStage<?> handle(Instance instance, Delivery delivery) {
		Envelope envelope = delivery.sentEnvelope();
		List<String> uids = Messages.names(envelope);
		String uid = uids.get(0);
		History history = this.histories.get(delivery.queue());
		note(instance + " handles " + uids + (uids.contains(delivery.uid()) ? "" : " as " + delivery.uid()) + " of "
				+ delivery.queue());
		count("handled");
		if (Messages.tick(uid) >= 0) {
			history.ticks(uid, Messages.tick(uid), TICKS);
		}
		history.begins(instance.toString(), uids, ClaimTime.of(delivery, instance.threads.nanoTime()).toEpochMilli(),
				now());
		boolean called = envelope.payload()[0] == '{';
		if (called) {
			count("bundles called back");
			history.calledBack(uid, Messages.summary(envelope.payload()));
		}
		else if (isPrompt() && !this.faulty && !this.killing && !this.bundling && history.begun(uid) == 1) {
			long late = now() - history.earliest(uid);
			check(late <= LATEST.toMillis() || history.earliest(uid) == Long.MIN_VALUE,
					uid + " is handled " + late + " ms late");
		}
		CompletableFuture<Object> done = new CompletableFuture<>();
		boolean fails = uids.stream().anyMatch((each) -> each.startsWith("p")) || this.random.nextInt(8) == 0;
		boolean waits = this.gated && !fails && this.random.nextInt(30) == 0;
		Messages.Sending next = (this.stepping && history == this.history && uid.startsWith("m") && this.random.nextInt(3) == 0)
				? this.messages.step() : null;
		if (next != null) {
			sendNext(instance, uid, next, (NextMessages) DeliveryScope.current());
		}
		if (this.saving && this.random.nextBoolean() && !called) {
			save(history, instance, uid, delivery.checkpoint(CHECKPOINTS, String.class));
		}
		boolean acts = this.acting && history == this.history && !waits && this.random.nextInt(3) == 0;
		Duration takes = (this.faulty && this.random.nextInt(20) == 0)
				? SimulatedInstance.millis(this.random, 1000, 40_000) : SimulatedInstance.millis(this.random, 0, 50);
		done.whenComplete((value, failure) -> {
			if (failure instanceof CancellationException) {
				ends(history, instance, uids, History.Ending.NEITHER);
			}
		});
		instance.threads.schedule(() -> {
			if (!done.isDone()) {
				ends(history, instance, uids,
						waits ? History.Ending.NEITHER : (fails ? History.Ending.FAILED : History.Ending.DONE));
				complete(done, waits, fails);
			}
		}, takes);
		if (acts) {
			act(instance, "k" + this.random.nextInt(3), fails, takes.multipliedBy(2));
		}
		return done;
	}

	/**
	 * Saves a checkpoint while a message is handled.
	 */
	private void save(History history, Instance instance, String uid, Checkpoint<String> checkpoint) {
		history.reads(uid, checkpoint.get().map(Integer::parseInt).orElse(0));
		int next = history.saves(uid);
		checkpoint.saveAsync(Integer.toString(next)).whenComplete((done, failure) -> {
			note(instance + " saved the checkpoint " + next + " of " + uid + ": "
					+ ((failure != null) ? failure : "done"));
			if (failure == null) {
				count("checkpoints saved");
				history.saved(uid, next);
			}
		});
	}

	/**
	 * Acts once for a key.
	 */
	private void act(Instance instance, String key, boolean fails, Duration takes) {
		Runs.Run[] runs = new Runs.Run[1];
		instance.application.once(key, WINDOW, () -> {
			note(instance + " acts for " + key);
			Runs.Run run = this.runs.begins(key, instance.toString(), this.time.elapsed().toMillis(), now());
			runs[0] = run;
			CompletableFuture<Object> acted = new CompletableFuture<>();
			instance.threads.schedule(() -> {
				note(instance + (fails ? " has failed for " : " has acted for ") + key);
				run.ends(!fails, this.time.elapsed().toMillis());
				if (fails) {
					acted.completeExceptionally(new IllegalStateException("thrown by an action"));
				}
				else {
					acted.complete(null);
				}
			}, takes);
			return acted;
		}).whenComplete((outcome, failure) -> {
			note(instance + " was notified of " + key + ": " + ((failure != null) ? failure : outcome));
			if (outcome != null) {
				count("actions of keys: " + outcome);
				switch (outcome) {
					case RAN -> runs[0].recorded();
					case DONE_BEFORE -> this.runs.skipped(key);
					default -> {
					}
				}
			}
		});
	}

	private void complete(CompletableFuture<Object> done, boolean waits, boolean fails) {
		if (waits) {
			count("handlers that close a gate");
			Duration duration = Duration.ofMillis(100 + this.random.nextInt(3000));
			done.completeExceptionally(this.random.nextBoolean() ? QueueWaitException.ofKey(duration, null)
					: QueueWaitException.ofQueue(duration, null));
		}
		else if (fails) {
			done.completeExceptionally(new IllegalStateException("thrown by a handler"));
		}
		else {
			done.complete(null);
		}
	}

	private void ends(History history, Instance instance, List<String> uids, History.Ending ending) {
		note(instance + " ends " + uids + ": " + ending);
		history.ends(instance.toString(), uids, ending, now());
	}

	/**
	 * Sends a message with the acknowledgement of the one that is handled.
	 */
	private void sendNext(Instance instance, String uid, Messages.Sending next, NextMessages collected) {
		note(instance + " sends " + next + " with the acknowledgement of " + uid);
		this.history.sendsNext(instance.toString(), uid, next, now());
		collected.add(new NextMessage(QUEUE, next.message(), null), (counted) -> {
			note(instance + " was notified of " + next.uid() + ": " + counted);
			if (counted) {
				count("next steps sent");
				this.history.sent(next.uid(), now());
			}
			else {
				this.history.refused(next.uid());
			}
		});
	}

	/**
	 * Returns whether no message waits for anything but a handler.
	 */
	private boolean isPrompt() {
		return !this.steered && !this.keyed && !this.gated && !this.limits.isLimited();
	}

	private void stop() {
		List<CompletableFuture<Void>> stopped = new ArrayList<>();
		living().forEach((instance) -> instance.threads
			.execute(() -> stopped.add(instance.stop())));
		advance(Duration.ofMinutes(1));
		check(stopped.size() == living().size() && stopped.stream().allMatch(CompletableFuture::isDone),
				"a container does not stop");
	}

	// What is checked

	private void checkEnd() {
		check(!this.server.isStopped(), "the server is away at the end");
		throwViolation();
		this.histories.forEach((queue, history) -> {
			history.checkEnd(names(queue, "messages"), this.faulty, MAX_ATTEMPTS);
			if (!this.faulty && !this.killing) {
				history.checkWaits(LATEST.toMillis(), isPrompt() && !this.bundling, this.seed % 4 != 2, !this.gated);
			}
			for (String emptied : List.of("outbox", "bundles", "bundles:pending")) {
				check(this.server.look("EXISTS", key(queue, emptied)).equals(0L),
						"the key '" + emptied + "' of the queue '" + queue + "' is left");
			}
		});
		check(!this.recurring || this.history.ticks() == TICKS || this.history.wentBackSince(0),
				this.history.ticks() + " ticks were handled, and there are " + TICKS);
		this.histories.keySet().forEach(this::checkSound);
	}

	private void checkSound(String queue) {
		QueueCheck found = new QueueChecks(
				SimulatedConnection.admin((script, name, text, keys, args) -> CompletableFuture
					.completedFuture(this.server.run(script, name, text, keys, args)), "redelay", this.time))
			.check(queue);
		check(found.sound(), "the queue '" + queue + "' is not sound: " + found.problems());
	}

	/**
	 * Returns whether nothing is left to do: no message lives, and no handler runs.
	 */
	private boolean isOver() {
		return !this.server.isStopped() && this.histories.entrySet()
			.stream()
			.allMatch((each) -> names(each.getKey(), "messages").isEmpty() && each.getValue().isOver()
					&& this.server.look("EXISTS", key(each.getKey(), "outbox"), key(each.getKey(), "bundles")).equals(0L));
	}

	private static String key(String queue, String name) {
		return (GroupName.isGroup(queue)
				? "redelay:{" + GroupName.topicOf(queue) + "}" + GroupName.ofTopic("") + GroupName.groupOf(queue)
				: "redelay:{" + queue + "}") + ":" + name;
	}

	private Set<String> names(String queue, String key) {
		List<?> names = (List<?>) this.server.look("HKEYS", key(queue, key));
		return names.stream()
			.map((name) -> new String((byte[]) name, UTF_8))
			.filter((name) -> !name.contains("/") && !name.startsWith("@"))
			.collect(Collectors.toSet());
	}

	private void check(boolean condition, String words) {
		if (!condition) {
			violated(words);
		}
	}

	private void violated(String words) {
		note(words);
		this.history.violated(words);
	}

	/**
	 * One instance of the application.
	 */
	private final class Instance implements Application.Events {

		private final SimulatedInstance threads;

		private final Application application;

		private final List<QueueListenerContainer> containers = new ArrayList<>();

		private boolean stopped;

		private final int concurrency = 1 + Simulation.this.random.nextInt(4);

		Instance(String name) {
			this.threads = new SimulatedInstance(name, Simulation.this.time);
			// If a wake-up comes too late or never, a lane has the safety poll.
			Duration poll = (Simulation.this.faulty || Simulation.this.killing) ? Duration.ofSeconds(10)
					: Duration.ofHours(1);
			this.application = new Application(this.threads, new Application.World(Simulation.this.server,
					Simulation.this.network, Simulation.this.scripts, poll, Simulation.this.random::nextDouble), this);
			if (Simulation.this.recurring) {
				this.application.recurs(QUEUE, "often", Duration.ofSeconds(4), TICKS);
			}
			listen(QUEUE, Simulation.this.limits);
			if (Simulation.this.publishing) {
				GROUPS.forEach((group) -> listen(GroupName.of(TOPIC, group), ClaimLimits.NONE));
			}
		}

		void start() {
			this.application.start();
			this.containers.forEach(QueueListenerContainer::start);
		}

		private void listen(String queue, ClaimLimits limits) {
			this.containers.add(this.application.listener(queue, settings(limits), this.concurrency,
					(deliveries) -> handle(this, deliveries.get(0))));
		}

		CompletableFuture<Void> stop() {
			return CompletableFuture.allOf(this.containers.stream()
				.map((each) -> each.stop(Duration.ofSeconds(5)))
				.toArray(CompletableFuture[]::new));
		}

		@Override
		public void wentBack(Rollback rollback) {
			note(this + " notices that the server went back: " + rollback);
			check(Simulation.this.faulty, "the server did not go back, as " + this + " believes");
		}

		@Override
		public void violated(String words) {
			Simulation.this.violated(words);
		}

		boolean listens() {
			return !this.stopped && !this.threads.isKilled();
		}

		private ContainerSettings.QueueSettings settings(ClaimLimits limits) {
			return new ContainerSettings.QueueSettings(Leases.LEASE, null, new ContainerSettings.FailureSettings(
					new RetrySettings(MAX_ATTEMPTS, (failures) -> BACKOFF, List.of(), ConversionFailureAction.BURY,
							false),
					null,
					new DeadLetterSettings(1000, Duration.ofDays(1), DeadLetterSettings.ANY_SIZE, null, null, null)),
					limits, null, null, CancellationMode.SIGNAL,
					new ContainerSettings.Filters(GroupFilter.NONE, null));
		}

		@Override
		public String toString() {
			return this.threads.name();
		}

	}

}
