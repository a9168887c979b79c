package io.redelay.queue.simulation;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;

import io.redelay.queue.AckMode;
import io.redelay.queue.MessageState;
import io.redelay.queue.SendOutcome;
import io.redelay.queue.admin.QueueCheck;
import io.redelay.queue.admin.engine.QueueChecks;
import io.redelay.queue.claim.ListenerRuntime;
import io.redelay.queue.claim.QueueListenerContainer;
import io.redelay.queue.deadletter.DeadLetterSettings;
import io.redelay.queue.failure.RetrySettings;
import io.redelay.queue.handle.ContainerSettings;
import io.redelay.queue.handle.Delivery;
import io.redelay.queue.invariant.Invariants;
import io.redelay.queue.listener.ConversionFailureAction;
import io.redelay.queue.message.MessageKeys;
import io.redelay.queue.message.NewMessage;
import io.redelay.queue.request.LaneStatus;
import io.redelay.queue.request.OutcomeUnknownException;
import io.redelay.queue.request.ReplayMemory;
import io.redelay.queue.request.Rollback;
import io.redelay.queue.request.SendReply;
import io.redelay.queue.request.StoreException;
import io.redelay.queue.request.WaitingCaller;
import io.redelay.queue.script.MessageCommand;
import io.redelay.queue.script.QueueScripts;
import io.redelay.queue.script.TestSender;
import io.redelay.queue.script.admin.CommandBatcher;
import io.redelay.queue.wire.SimulatedConnection;
import io.redelay.scheduling.SafetyPoll;
import io.redelay.test.ListenerRuntimeBuilder;
import io.redelay.test.TestSettings;
import io.redelay.test.VirtualTime;

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

	private static final int MAX_ATTEMPTS = 4;

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

	private final boolean named;

	private final boolean steered;

	private final UnaryOperator<String> scripts;

	private final Set<String> dropped;

	private final List<String> parts = new ArrayList<>();

	private final Map<String, Integer> counts = new TreeMap<>();

	private final SimulatedServer server;

	private final History history;

	private final SimulatedNetwork network;

	private final List<Instance> instances = new ArrayList<>();

	private final List<String> journal = new ArrayList<>();

	private final List<String> known = new ArrayList<>();

	private int sent;

	/**
	 * Whether the instance is killed whose handler runs next.
	 */
	private boolean killsHandler;

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
		this.named = has("ids", this.random.nextInt(3) == 0);
		this.steered = has("commands", this.random.nextInt(3) == 0);
		this.network = new SimulatedNetwork(this.time, this.random, this.faulty, this::count);
		this.server = new SimulatedServer(redis, this.time,
				this.random.nextBoolean() ? MemoryRedis.LISTPACK_ENTRIES : 2);
		this.history = new History(this.server.leases(),
				(uid) -> this.server.look("HEXISTS", key("dead:messages"), uid).equals(1L),
				() -> this.time.elapsed().toMillis(), BACKOFF.toMillis());
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
			for (int i = (this.faulty ? this.random.nextInt(6) : 0); i > 0; i--) {
				plan("fault " + i, this::fail, sometime());
			}
			for (int i = (this.killing ? 1 + this.random.nextInt(2) : 0); i > 0; i--) {
				plan("kill " + i, this::killOne, SimulatedInstance.millis(this.random, 0, 40_000));
			}
			for (int i = (this.steered ? this.random.nextInt(20) : 0); i > 0; i--) {
				plan("command " + i, this::steer, sometime());
			}
			for (long busy = busy().toSeconds(); busy > 0; busy -= 5) {
				advance(Duration.ofSeconds(5));
				if (!this.faulty) {
					this.history.checkLate(LATEST.toMillis());
				}
			}
			this.network.heal();
			if (this.instances.stream().noneMatch(Instance::listens)) {
				start();
			}
			for (long rest = REST.toSeconds(); rest > 0 && !isOver(); rest -= STEP.toSeconds()) {
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
		if (this.history.violation() != null) {
			throw new AssertionError(this.history.violation());
		}
	}

	private long now() {
		return this.server.millis();
	}

	private void note(String line) {
		if (this.history.violation() == null) {
			this.journal.add(this.time.elapsed().toNanos() / 1000 + " us: " + line);
		}
	}

	// What happens

	private void start() {
		Instance instance = new Instance("i" + (this.instances.size() + 1));
		this.instances.add(instance);
		note(instance + " starts with concurrency " + instance.concurrency);
		instance.threads.execute(instance.container::start);
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
		return chosen && !this.dropped.contains(feature);
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
		List<NewMessage> messages = new ArrayList<>();
		for (int i = this.random.nextInt(5); i >= 0; i--) {
			messages.add(message());
		}
		List<String> uids = messages.stream().map(NewMessage::uid).toList();
		boolean waits = this.random.nextInt(3) == 0;
		sender.threads.execute(() -> send(sender, messages, uids, waits));
	}

	private void send(Instance sender, List<NewMessage> messages, List<String> uids, boolean waits) {
		note(sender + (waits ? " waits, and sends " : " sends ") + messages.stream().map(Simulation::words).toList());
		messages.forEach((message) -> this.history.sends(sender.toString(), message, !waits, now()));
		this.known.addAll(uids);
		sender.send(messages, waits).whenComplete((reply, failure) -> {
			note(sender + " was notified of " + uids + ": " + ((failure != null) ? failure : reply.status()));
			if (failure == null && reply.status() == LaneStatus.OK) {
				for (int i = 0; i < uids.size(); i++) {
					SendReply.Fate fate = reply.fates().get(i);
					if (fate != null && fate.outcome() == SendOutcome.DUPLICATE) {
						count("duplicates");
						this.history.duplicate(uids.get(i), this.faulty || this.killing || this.steered);
					}
					else {
						count("sends acknowledged");
						this.history.sent(uids.get(i));
					}
				}
			}
			else if (failure == null) {
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

	private NewMessage message() {
		boolean poisoned = this.random.nextInt(20) == 0;
		String uid = (poisoned ? "p" : "m") + "%04d".formatted(++this.sent);
		String id = (this.named && this.random.nextInt(3) == 0) ? "id" + this.random.nextInt(3) : null;
		Duration delay = this.random.nextBoolean() ? Duration.ofMillis(this.random.nextInt(20_000)) : null;
		String orderingKey = (this.keyed && this.random.nextBoolean()) ? "o" + this.random.nextInt(3) : null;
		String fairnessKey = (this.keyed && this.random.nextInt(3) == 0) ? "f" + this.random.nextInt(3) : null;
		Integer priority = (this.keyed && this.random.nextInt(3) == 0) ? this.random.nextInt(10) : null;
		MessageKeys keys = new MessageKeys(orderingKey, fairnessKey, 1 + this.random.nextInt(3), priority, null, false);
		return new NewMessage(uid, id, delay, null, "{\"sentAt\":1,\"payload\":1}".getBytes(UTF_8),
				keys.arePlain() ? null : keys, null);
	}

	private static String words(NewMessage message) {
		MessageKeys keys = message.keys();
		return message.uid() + ((message.id() != null) ? " " + message.id() : "")
				+ ((keys != null) ? " " + keys.orderingKey() + " " + keys.fairnessKey() + " " + keys.priority() : "");
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
		victim.threads.kill();
		victim.wakeUps.disconnect();
		this.history.killed(victim.toString());
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
		this.history.stops(instance.toString());
		instance.stopped = true;
		instance.threads.execute(() -> instance.container.stop(Duration.ofSeconds(5)));
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
		String fresh = uid.substring(0, 5) + "." + ++this.sent;
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
			instance.commands
				.send(List.of(cancels ? new MessageCommand(MessageCommand.Action.CANCEL, uid, "", "-")
						: new MessageCommand(MessageCommand.Action.SCHEDULE, uid, MessageCommand.after(delay), fresh)))
				.whenComplete((results, failure) -> {
					note(instance + " was notified of its command on " + uid + ": "
							+ ((failure != null) ? failure : results));
					if (failure == null && results.get(0).isDone()) {
						boolean waited = results.get(0).state() == MessageState.SCHEDULED
								|| results.get(0).state() == MessageState.READY;
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

	private void restart() {
		count("server restarted");
		Duration away = SimulatedInstance.millis(this.random, 0, 5000);
		note("the server restarts, and is away for " + away);
		this.server.stop();
		this.time.schedule(() -> {
			this.server.start("%040x".formatted(this.random.nextInt(1_000_000)));
			living().forEach((instance) -> this.time.schedule(() -> instance.threads.execute(instance::reconnect),
					SimulatedInstance.millis(this.random, 0, 2000)));
		}, away);
	}

	/**
	 * Has the server go back some seconds, as a replica that lagged.
	 */
	private void goBack() {
		this.server.save();
		long to = this.history.event();
		this.time.schedule(() -> {
			count("server gone back");
			note("the server goes back to where it was " + (this.history.event() - to) + " events ago");
			restart();
			this.server.goBack();
			this.history.wentBack(to);
		}, SimulatedInstance.millis(this.random, 0, 8000));
	}

	private void jump() {
		Duration by = Duration.ofMillis(this.random.nextInt(120_000) - 60_000);
		count("clock jumped");
		note("the server's clock jumps by " + by);
		this.history.jumped(by.toMillis(), now());
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
		String uid = delivery.info().uid();
		note(instance + " handles " + uid);
		count("handled");
		this.history.begins(instance.toString(), uid, now());
		if (!this.faulty && !this.killing && !this.steered && this.history.begun(uid) == 1 && !this.keyed) {
			long late = now() - this.history.earliest(uid);
			check(late <= LATEST.toMillis(), uid + " is handled " + late + " ms late");
		}
		CompletableFuture<Void> done = new CompletableFuture<>();
		if (this.killsHandler && living().size() > 1) {
			this.killsHandler = false;
			kill(instance);
			return done;
		}
		boolean fails = uid.startsWith("p") || this.random.nextInt(8) == 0;
		Duration takes = (this.faulty && this.random.nextInt(20) == 0)
				? SimulatedInstance.millis(this.random, 1000, 40_000) : SimulatedInstance.millis(this.random, 0, 50);
		instance.threads.schedule(() -> {
			note(instance + (fails ? " fails with " : " is done with ") + uid);
			this.history.ends(instance.toString(), uid, fails, now());
			if (fails) {
				done.completeExceptionally(new IllegalStateException("thrown by a handler"));
			}
			else {
				done.complete(null);
			}
		}, takes);
		return done;
	}

	private void stop() {
		List<CompletableFuture<Void>> stopped = new ArrayList<>();
		living().forEach((instance) -> instance.threads
			.execute(() -> stopped.add(instance.container.stop(Duration.ofSeconds(5)))));
		advance(Duration.ofMinutes(1));
		check(stopped.size() == living().size() && stopped.stream().allMatch(CompletableFuture::isDone),
				"a container does not stop");
	}

	// What is checked

	private void checkEnd() {
		check(!this.server.isStopped(), "the server is away at the end");
		throwViolation();
		this.history.checkEnd(names("messages"), this.faulty, MAX_ATTEMPTS);
		QueueCheck found = new QueueChecks(
				SimulatedConnection.admin((script, name, text, keys, args) -> CompletableFuture
					.completedFuture(this.server.run(script, name, text, keys, args)), "redelay", this.time))
			.check(QUEUE);
		check(found.sound(), "the queue is not sound: " + found.problems());
	}

	/**
	 * Returns whether nothing is left to do: no message lives, and no handler runs.
	 */
	private boolean isOver() {
		return !this.server.isStopped() && names("messages").isEmpty() && this.history.isOver();
	}

	private static String key(String name) {
		return "redelay:{" + QUEUE + "}:" + name;
	}

	private Set<String> names(String key) {
		List<?> names = (List<?>) this.server.look("HKEYS", key(key));
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
	private final class Instance {

		private final SimulatedInstance threads;

		private final SimulatedWakeUps wakeUps;

		private final QueueScripts scripts;

		private final TestSender sender;

		private final QueueListenerContainer container;

		private final CommandBatcher commands;

		private boolean stopped;

		private final int concurrency = 1 + Simulation.this.random.nextInt(4);

		Instance(String name) {
			this.threads = new SimulatedInstance(name, Simulation.this.time);
			this.wakeUps = new SimulatedWakeUps(this.threads, Simulation.this.server, Simulation.this.network);
			SimulatedConnection.Server connection = new SimulatedClient(this.threads, Simulation.this.server,
					Simulation.this.network);
			ReplayMemory memory = new ReplayMemory(Duration.ofMinutes(1), 1_000_000, this::wentBack, this.threads);
			this.scripts = SimulatedConnection.open(connection, "redelay", this.wakeUps, this.threads, memory,
					Simulation.this.scripts);
			this.commands = SimulatedConnection.steer(this.scripts, this.threads).batcher(QUEUE);
			this.sender = new TestSender(this.scripts, QUEUE, 1000, null);
			this.container = new QueueListenerContainer(settings(), (deliveries) -> handle(this, deliveries.get(0)),
					runtime());
		}

		/**
		 * Sends as futures do, or as a caller that waits, which makes the request itself
		 * and has no order to keep.
		 */
		CompletableFuture<SendReply> send(List<NewMessage> messages, boolean waits) {
			if (!waits) {
				return this.sender.send(messages);
			}
			count("sends of callers that wait");
			WaitingCaller.enter();
			try {
				return this.sender.sendUnordered(messages);
			}
			finally {
				WaitingCaller.leave();
			}
		}

		private void wentBack(Rollback rollback) {
			note(this + " notices that the server went back: " + rollback);
			check(Simulation.this.faulty, "the server did not go back, as " + this + " believes");
		}

		boolean listens() {
			return !this.stopped && !this.threads.isKilled();
		}

		/**
		 * The connections to the server were cut.
		 */
		void reconnect() {
			this.wakeUps.reconnect();
			this.scripts.availability().check();
		}

		private ListenerRuntime runtime() {
			// If a wake-up comes too late or never, a lane has the safety poll.
			Duration interval = Simulation.this.faulty ? Duration.ofSeconds(10)
					: Simulation.this.killing ? Duration.ofSeconds(30) : Duration.ofHours(1);
			return new ListenerRuntimeBuilder(this.scripts, this.threads)
				.safetyPoll(new SafetyPoll(interval, Simulation.this.random::nextDouble))
				.invariants(new Invariants(
						(queue, invariant) -> violated("the invariant '" + invariant.label() + "' is violated")))
				.instance(this.threads.name())
				.build();
		}

		private ContainerSettings settings() {
			ContainerSettings.QueueSettings queue = TestSettings.queue(Leases.LEASE, null,
					new RetrySettings(MAX_ATTEMPTS, (failures) -> BACKOFF, List.of(), ConversionFailureAction.BURY,
							false),
					new DeadLetterSettings(1000, Duration.ofDays(1), DeadLetterSettings.ANY_SIZE, null, null, null));
			return new ContainerSettings("listener", Map.of(QUEUE, queue),
					new ContainerSettings.Concurrency(this.concurrency, this.concurrency, null), AckMode.AUTO,
					ContainerSettings.Batch.NONE, true, List.of());
		}

		@Override
		public String toString() {
			return this.threads.name();
		}

	}

}
