package io.redelay.queue.simulation;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.stream.Collectors;

import io.redelay.queue.AckMode;
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
import io.redelay.queue.request.OutcomeUnknownException;
import io.redelay.queue.request.ReplayMemory;
import io.redelay.queue.request.Rollback;
import io.redelay.queue.request.StoreException;
import io.redelay.queue.script.QueueScripts;
import io.redelay.queue.script.TestSender;
import io.redelay.queue.wire.SimulatedConnection;
import io.redelay.scheduling.SafetyPoll;
import io.redelay.test.ListenerRuntimeBuilder;
import io.redelay.test.TestSettings;
import io.redelay.test.VirtualTime;

import static java.nio.charset.StandardCharsets.UTF_8;

/**
 * One run of some instances that send and listen to one queue, all on the calling thread.
 * The seed decides all that is left to chance: which task runs next, what the network
 * delays and loses, which instance is killed or stands still, what is sent, and how long
 * handlers take. In every third run nothing fails, so that messages must be handled when
 * they are due; in the others they must be handled in the end.
 * <p>
 * A run checks that no message is lost or done without being handled; that none is
 * handled before its time; that no two handlers have the same message unless a lease ran
 * out in between; and that everything ends.
 */
final class Simulation {

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

	private static final Duration STEP = Duration.ofSeconds(20);

	private static final int KEPT_LINES = 200;

	private final long seed;

	private final Random random;

	private final VirtualTime time;

	private final boolean faulty;

	private final boolean keyed;

	private final SimulatedServer server;

	private final History history;

	private final SimulatedNetwork network;

	private final List<Instance> instances = new ArrayList<>();

	private final List<String> journal = new ArrayList<>();

	private int sent;

	Simulation(long seed, MemoryRedis redis) {
		this.seed = seed;
		this.random = new Random(seed);
		this.time = new VirtualTime(this.random::nextInt);
		this.faulty = seed % 3 != 0;
		this.keyed = this.random.nextBoolean();
		this.network = new SimulatedNetwork(this.time, this.random, this.faulty);
		this.server = new SimulatedServer(redis, this.time,
				this.random.nextBoolean() ? MemoryRedis.LISTPACK_ENTRIES : 2);
		this.history = new History(this.server.leases(),
				(uid) -> this.server.look("HEXISTS", key("dead:messages"), uid).equals(1L));
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
				this.time.schedule(this::sendSome, sometime());
			}
			for (int i = (this.faulty ? this.random.nextInt(6) : 0); i > 0; i--) {
				this.time.schedule(this::fail, sometime());
			}
			advance(BUSY);
			this.network.heal();
			if (this.instances.stream().allMatch((instance) -> instance.threads.isKilled())) {
				start();
			}
			for (long rest = REST.toSeconds(); rest > 0 && !isOver(); rest -= STEP.toSeconds()) {
				advance(STEP);
			}
			checkEnd();
			stop();
			throwViolation();
			return this.journal;
		}
		catch (AssertionError | RuntimeException ex) {
			throw new AssertionError("The run of the seed " + this.seed + " failed: " + ex.getMessage()
					+ ". Repeat it with -Dredelay.test.seed=" + this.seed
					+ " -Dredelay.test.seeds=1. What happened last:\n"
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
		return SimulatedInstance.millis(this.random, 0, (int) BUSY.toMillis());
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
		sender.threads.execute(() -> send(sender, messages, uids));
	}

	private void send(Instance sender, List<NewMessage> messages, List<String> uids) {
		note(sender + " sends " + messages.stream().map(Simulation::words).toList());
		messages.forEach((message) -> this.history.sends(sender.toString(), message, now()));
		sender.sender.send(messages).whenComplete((reply, failure) -> {
			note(sender + " was notified of " + uids + ": " + ((failure != null) ? failure : reply.status()));
			if (failure == null) {
				uids.forEach(this.history::sent);
			}
			else if (!(StoreException.cause(failure) instanceof OutcomeUnknownException)) {
				uids.forEach(this.history::refused);
			}
		});
	}

	private NewMessage message() {
		String uid = "m%04d".formatted(++this.sent);
		Duration delay = this.random.nextBoolean() ? Duration.ofMillis(this.random.nextInt(20_000)) : null;
		String orderingKey = (this.keyed && this.random.nextBoolean()) ? "o" + this.random.nextInt(3) : null;
		String fairnessKey = (this.keyed && this.random.nextInt(3) == 0) ? "f" + this.random.nextInt(3) : null;
		Integer priority = (this.keyed && this.random.nextInt(3) == 0) ? this.random.nextInt(10) : null;
		MessageKeys keys = new MessageKeys(orderingKey, fairnessKey, 1 + this.random.nextInt(3), priority, null, false);
		return new NewMessage(uid, null, delay, null, "{\"sentAt\":1,\"payload\":1}".getBytes(UTF_8),
				keys.arePlain() ? null : keys, null);
	}

	private static String words(NewMessage message) {
		MessageKeys keys = message.keys();
		return message.uid() + ((keys != null) ? " " + keys.orderingKey() + " " + keys.fairnessKey() + " " + keys.priority()
				: "");
	}

	private void fail() {
		List<Instance> living = living();
		if (living.isEmpty()) {
			start();
			return;
		}
		Instance victim = living.get(this.random.nextInt(living.size()));
		switch (this.random.nextInt(7)) {
			case 0 -> {
				note(victim + " is killed");
				victim.threads.kill();
				victim.wakeUps.disconnect();
				this.history.killed(victim.toString());
			}
			case 1 -> {
				Duration pause = SimulatedInstance.millis(this.random, 100, 45_000);
				note(victim + " stands still for " + pause);
				victim.threads.standStill(pause);
			}
			case 2 -> restart();
			case 3 -> goBack();
			case 4 -> jump();
			case 5 -> fill();
			default -> start();
		}
	}

	private void restart() {
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
			note("the server goes back to where it was " + (this.history.event() - to) + " events ago");
			restart();
			this.server.goBack();
			this.history.wentBack(to);
		}, SimulatedInstance.millis(this.random, 0, 8000));
	}

	private void jump() {
		Duration by = Duration.ofMillis(this.random.nextInt(120_000) - 60_000);
		note("the server's clock jumps by " + by);
		this.history.jumped(by.toMillis(), now());
		this.server.jump(by);
	}

	private void fill() {
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
		this.history.begins(instance.toString(), uid, now());
		if (!this.faulty && this.history.begun(uid) == 1 && !this.keyed) {
			long late = now() - this.history.earliest(uid);
			check(late <= LATEST.toMillis(), uid + " is handled " + late + " ms late");
		}
		CompletableFuture<Void> done = new CompletableFuture<>();
		boolean fails = this.random.nextInt(8) == 0;
		Duration takes = (this.faulty && this.random.nextInt(20) == 0)
				? SimulatedInstance.millis(this.random, 1000, 40_000) : SimulatedInstance.millis(this.random, 0, 50);
		instance.threads.schedule(() -> {
			note(instance + (fails ? " fails with " : " is done with ") + uid);
			this.history.ends(instance.toString(), uid, fails);
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
		this.history.checkEnd(names("messages"), this.faulty, MAX_ATTEMPTS);
		QueueCheck found = new QueueChecks(SimulatedConnection.admin((script, name, text, keys, args) -> CompletableFuture
			.completedFuture(this.server.run(script, name, text, keys, args)), "redelay", this.time)).check(QUEUE);
		check(found.sound(), "the queue is not sound: " + found.problems());
	}

	/**
	 * Returns whether nothing is left to do: no message lives, and no handler runs.
	 */
	private boolean isOver() {
		return names("messages").isEmpty() && this.history.isOver();
	}

	private static String key(String name) {
		return "redelay:{" + QUEUE + "}:" + name;
	}

	private Set<String> names(String key) {
		List<?> names = (List<?>) this.server.look("HKEYS", key(key));
		return names.stream().map((name) -> new String((byte[]) name, UTF_8))
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

		private final int concurrency = 1 + Simulation.this.random.nextInt(4);

		Instance(String name) {
			this.threads = new SimulatedInstance(name, Simulation.this.time);
			this.wakeUps = new SimulatedWakeUps(this.threads, Simulation.this.server, Simulation.this.network);
			this.scripts = SimulatedConnection.open(
					new SimulatedClient(this.threads, Simulation.this.server, Simulation.this.network), "redelay",
					this.wakeUps, this.threads, new ReplayMemory(Duration.ofMinutes(1), 1_000_000, this::wentBack,
							this.threads));
			this.sender = new TestSender(this.scripts, QUEUE, 1000, null);
			this.container = new QueueListenerContainer(settings(), (deliveries) -> handle(this, deliveries.get(0)),
					runtime());
		}

		private void wentBack(Rollback rollback) {
			note(this + " notices that the server went back: " + rollback);
			check(Simulation.this.faulty, "the server did not go back, as " + this + " believes");
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
			Duration interval = Simulation.this.faulty ? Duration.ofSeconds(10) : Duration.ofHours(1);
			return new ListenerRuntimeBuilder(this.scripts, this.threads)
				.safetyPoll(new SafetyPoll(interval, Simulation.this.random::nextDouble))
				.invariants(new Invariants(
						(queue, invariant) -> violated("the invariant '" + invariant.label() + "' is violated")))
				.instance(this.threads.name())
				.build();
		}

		private ContainerSettings settings() {
			ContainerSettings.QueueSettings queue = TestSettings.queue(Leases.LEASE, null,
					new RetrySettings(MAX_ATTEMPTS, (failures) -> Duration.ofMillis(500), List.of(),
							ConversionFailureAction.BURY, false),
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
