package io.redelay.queue.simulation;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.function.DoubleSupplier;
import java.util.function.Predicate;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;

import io.micrometer.observation.ObservationRegistry;
import io.redelay.queue.AckMode;
import io.redelay.queue.GroupFilter;
import io.redelay.queue.admin.QueueAdmin;
import io.redelay.queue.admin.engine.ColdSweeper;
import io.redelay.queue.admin.engine.ExpiredMessages;
import io.redelay.queue.admin.engine.ExpirySweeper;
import io.redelay.queue.admin.engine.FarSettings;
import io.redelay.queue.admin.engine.FarSweeper;
import io.redelay.queue.admin.engine.QueueAdminTemplate;
import io.redelay.queue.admin.engine.message.EditRules;
import io.redelay.queue.bundle.engine.BundleCancellation;
import io.redelay.queue.bundle.engine.BundleEnds;
import io.redelay.queue.bundle.engine.BundleSweeper;
import io.redelay.queue.claim.ClaimRuntime;
import io.redelay.queue.claim.ClaimSignals;
import io.redelay.queue.claim.ListenerRuntime;
import io.redelay.queue.claim.LocalGates;
import io.redelay.queue.claim.OutboxRelays;
import io.redelay.queue.claim.QueueListenerContainer;
import io.redelay.queue.claim.SuspectAdmission;
import io.redelay.queue.claim.WakeUps;
import io.redelay.queue.failure.FailureRuntime;
import io.redelay.queue.handle.ContainerSettings;
import io.redelay.queue.handle.DeliveryHandler;
import io.redelay.queue.handle.HandlerRuntime;
import io.redelay.queue.idempotency.IdempotencyTemplate;
import io.redelay.queue.invariant.Invariants;
import io.redelay.queue.limits.PartitionName;
import io.redelay.queue.measure.QueueMeters;
import io.redelay.queue.message.BundleMembership;
import io.redelay.queue.message.DeclaredFilter;
import io.redelay.queue.message.EnvelopeCodec;
import io.redelay.queue.message.FailedAttemptCodec;
import io.redelay.queue.message.NewMessage;
import io.redelay.queue.message.NextMessage;
import io.redelay.queue.notes.WorkSettings;
import io.redelay.queue.partition.QueuePartitions;
import io.redelay.queue.recurring.RecurringDeclaration;
import io.redelay.queue.recurring.engine.RecurringEngine;
import io.redelay.queue.recurring.engine.RecurringReporter;
import io.redelay.queue.request.ReplayMemory;
import io.redelay.queue.request.RequestBatchers;
import io.redelay.queue.request.Rollback;
import io.redelay.queue.request.SendReply;
import io.redelay.queue.request.WaitingCaller;
import io.redelay.queue.script.CommandReply;
import io.redelay.queue.script.MessageCommand;
import io.redelay.queue.script.PublishScript;
import io.redelay.queue.script.QueueScripts;
import io.redelay.queue.script.ScriptListeners;
import io.redelay.queue.script.ScriptObservers;
import io.redelay.queue.script.SendScripts;
import io.redelay.queue.script.SubscribeScript;
import io.redelay.queue.script.admin.AdminScripts;
import io.redelay.queue.script.admin.BundleCommand;
import io.redelay.queue.script.admin.BundleScript;
import io.redelay.queue.script.admin.CommandBatcher;
import io.redelay.queue.send.NextMessageRelay;
import io.redelay.queue.send.SendSettings;
import io.redelay.queue.topic.TopicGroups;
import io.redelay.queue.topic.TopicSettings;
import io.redelay.queue.wire.SimulatedConnection;
import io.redelay.queue.work.Idempotency;
import io.redelay.scheduling.SafetyPoll;
import tools.jackson.databind.json.JsonMapper;

import org.springframework.messaging.converter.StringMessageConverter;

/**
 * One instance of the application: the parts that a real one has, on its own thread and
 * connection.
 */
final class Application {

	private static final EnvelopeCodec CODEC = new EnvelopeCodec();

	private static final SendSettings SENDS = new SendSettings(1_000_000,
			new SendSettings.MaxWaiting(1000, Long.MAX_VALUE), false, Map.of(), Map.of(), Map.of(), Map.of(), null);

	private static final Duration COLD = Duration.ofSeconds(4);

	/**
	 * A row is not needed for longer than the server goes back in time.
	 */
	private static final ColdSweeper.Times COLD_TIMES = new ColdSweeper.Times(Duration.ofSeconds(2),
			Duration.ofSeconds(6), Duration.ofSeconds(20));

	private final SimulatedInstance threads;

	private final SimulatedWakeUps wakeUps;

	private final QueueScripts scripts;

	private final AdminScripts admin;

	private final QueuePartitions partitions;

	private final OutboxRelays relays;

	private final ExpirySweeper expiries;

	private final BundleSweeper sweeper;

	private final FarSweeper far;

	private final ColdSweeper cold;

	private final ListenerRuntime runtime;

	private final RequestBatchers<NewMessage, SendReply> sender;

	private final RequestBatchers<MessageCommand, CommandReply> commands;

	private final RequestBatchers<NewMessage, PublishScript.Result> publisher;

	private final RequestBatchers<BundleCommand, BundleScript.Result> bundles;

	private final Idempotency idempotency;

	private final RecurringEngine recurring;

	private final TopicGroups topics;

	private final Map<String, TopicSettings> topicSettings;

	private final QueueAdminTemplate queues;

	/**
	 * Creates an instance.
	 * @param world what it is in
	 * @param events called with what it notices
	 */
	Application(SimulatedInstance threads, World world, Events events) {
		this.threads = threads;
		this.wakeUps = new SimulatedWakeUps(threads, world.server(), world.network());
		ReplayMemory memory = new ReplayMemory(Duration.ofMinutes(1), 1_000_000, events::wentBack, threads);
		this.scripts = SimulatedConnection.open(new SimulatedClient(threads, world.server(), world.network()),
				"redelay", this.wakeUps, threads, memory, world.scripts(),
				new ScriptListeners(new ScriptObservers(threads::nanoTime), (queue) -> {
				}, () -> {
				}, this::packed));
		this.admin = SimulatedConnection.admin(this.scripts, threads);
		this.partitions = new QueuePartitions(this.admin, world.partitions(), threads, world.poll().multipliedBy(2));
		memory.watch(this.partitions::askAgain);
		this.relays = new OutboxRelays(this.scripts, threads,
				List.of(new NextMessageRelay(this.scripts, SENDS, this.partitions),
						new BundleEnds(this.admin.bundles(), JsonMapper.shared(), this::relay),
						new BundleCancellation(this.admin)));
		memory.watch(this.relays::redisIsBack);
		this.topicSettings = world.topics();
		this.topics = new TopicGroups(this.scripts::topics, this.topicSettings, threads, (event) -> {
		}, this::relay);
		memory.watch(this.topics::renewAll);
		this.expiries = new ExpirySweeper(this.admin, new ExpiredMessages(this.admin, new EnvelopeCodec(),
				new FailedAttemptCodec(JsonMapper.shared()), threads.name()), threads, ExpirySweeper.INTERVAL);
		this.sweeper = new BundleSweeper(this.admin.bundles(), new BundleCancellation(this.admin), this::relay, threads,
				BundleSweeper.INTERVAL, BundleSweeper.QUIET);
		FarSettings horizon = new FarSettings(world.horizon(), Map.of(), 1);
		this.far = new FarSweeper(this.admin, horizon, () -> horizon.own(this.partitions), threads.name(), threads,
				world.horizon().multipliedBy(2).dividedBy(5));
		this.admin.coldTier().use(world.server().coldChunks());
		this.cold = new ColdSweeper(this.admin, horizon, this.partitions::isListenedTo, COLD, threads.name(), threads,
				COLD_TIMES);
		this.recurring = new RecurringEngine(SimulatedConnection.recurring(this.scripts), CODEC, JsonMapper.shared(),
				new StringMessageConverter(), new RecurringReporter(threads::execute, (event) -> {
				}), threads, Duration.ofMinutes(5), (queue) -> null);
		memory.watch(this.recurring.care()::redisIsBack);
		memory.watch(() -> this.recurring.repeatForgotten(memory.duration()));
		this.admin.whenTicksGo(this.recurring.care()::putBack, this.recurring.care()::putBackSoon);
		this.runtime = runtime(new SafetyPoll(world.poll(), world.jitter()), events);
		this.sender = new RequestBatchers<>(
				(queue) -> this.scripts.sends().protocol(queue, new SendScripts.Terms(1000, null, null)), memory);
		this.commands = this.admin.steer().batchers();
		this.publisher = new RequestBatchers<>((topic) -> this.topics.scripts()
			.publish()
			.protocol(topic, 1000, (group) -> null, null, this.topics::configure), memory);
		this.bundles = this.admin.bundles().bundle().batchers();
		this.idempotency = new IdempotencyTemplate(this.scripts, Leases.LEASE, threads);
		this.queues = QueueAdminTemplate.of(this.admin, this.partitions, CODEC, JsonMapper.shared(),
				new QueueAdminTemplate.Settings(threads.name(), Map.of(),
						new EditRules(1_000_000, Map.of(), this.partitions)),
				this.topics, threads.waiting());
	}

	private void packed(String queue, Instant time) {
		this.far.claimed(queue, time);
	}

	private void relay(String queue) {
		this.relays.look(queue);
	}

	private ListenerRuntime runtime(SafetyPoll poll, Events events) {
		ClaimSignals signals = new ClaimSignals(this.scripts, this.threads, new WakeUps(this.scripts.wakeUps()), poll,
				new SuspectAdmission(this.threads), LocalGates.none(this.threads));
		ClaimRuntime claims = new ClaimRuntime(this.scripts, this.threads, signals, this.partitions, this.relays,
				new Invariants(
						(queue, invariant) -> events.violated("the invariant '" + invariant.label() + "' is violated")),
				this.recurring.ticks(), WorkSettings.DEFAULTS);
		HandlerRuntime handlers = new HandlerRuntime(this.threads::executeWaiting, this.threads,
				ObservationRegistry.NOOP, null, null, List.of(), null, new QueueMeters(Set.of()));
		return new ListenerRuntime(claims, handlers,
				new FailureRuntime(this.threads.name(), JsonMapper.shared(), List.of(), new QueueMeters(Set.of())),
				CODEC, this.admin, this.topics, (lost) -> {
				});
	}

	/**
	 * Declares, before it starts, a message that recurs some times.
	 */
	void recurs(String queue, String name, Duration every, int times) {
		this.recurring.declare(RecurringDeclaration.every(queue, name, every).payload(name).maxRuns(times), "here");
	}

	/**
	 * Begins the work in the background that a feature needs.
	 */
	void start(Predicate<String> features) {
		if (features.test("recurring messages")) {
			this.recurring.care().start();
		}
		if (features.test("expiry")) {
			this.expiries.start();
		}
		if (features.test("far messages")) {
			this.far.start();
		}
		if (features.test("cold messages")) {
			this.cold.start();
		}
		if (features.test("bundles")) {
			this.sweeper.start();
		}
		if (features.test("jobs")) {
			this.queues.runJobs();
		}
	}

	/**
	 * Returns what looks at queues and acts on them, for tasks that may wait.
	 */
	QueueAdmin admin() {
		return this.queues;
	}

	/**
	 * Creates a listener to a queue.
	 */
	QueueListenerContainer listener(String queue, ContainerSettings.QueueSettings settings, int concurrency,
			DeliveryHandler handler) {
		return new QueueListenerContainer(new ContainerSettings("listener-" + queue, Map.of(queue, settings),
				new ContainerSettings.Concurrency(concurrency, concurrency, null), AckMode.AUTO,
				ContainerSettings.Batch.NONE, true, List.of()), handler, this.runtime);
	}

	/**
	 * Begins to look how many partitions queues have.
	 */
	void sentTo(String queue) {
		this.partitions.sentTo(queue);
	}

	/**
	 * Returns whether it is known to which partition a message goes.
	 */
	CompletableFuture<Void> ready(String queue) {
		return (this.partitions.configured(queue) > 1) ? this.partitions.ready()
				: CompletableFuture.completedFuture(null);
	}

	/**
	 * Returns the partition of a message.
	 * @param turn chooses that of a message without any key
	 */
	String partition(String queue, NewMessage message, int turn) {
		String ordering = (message.keys() != null) ? message.keys().orderingKey() : null;
		String other = (message.deduplication() != null) ? message.deduplication().key() : message.id();
		String key = (ordering != null) ? ordering : other;
		return (key != null) ? this.partitions.ofKey(queue, key)
				: PartitionName.of(queue, turn % this.partitions.configured(queue));
	}

	/**
	 * Sends as futures do, or as a caller that waits, which makes the request itself and
	 * has no order to keep.
	 */
	CompletableFuture<SendReply> send(String queue, List<NewMessage> messages, boolean waits) {
		if (!waits) {
			return this.sender.submit(queue, messages, true);
		}
		WaitingCaller.enter();
		try {
			return this.sender.submit(queue, messages, false);
		}
		finally {
			WaitingCaller.leave();
		}
	}

	/**
	 * Publishes to all groups of a topic.
	 */
	CompletableFuture<PublishScript.Result> publish(String topic, List<NewMessage> messages) {
		return this.publisher.submit(topic, messages, true);
	}

	/**
	 * Completes when a group is registered to which this instance listens. Joins it once
	 * more for that, and leaves it again.
	 */
	CompletableFuture<Void> registered(String queue) {
		CompletableFuture<Void> registered = this.topics.join(queue, GroupFilter.NONE);
		this.topics.leave(queue);
		return registered;
	}

	/**
	 * Declares the filter of a group, as an instance does that starts to listen to it.
	 */
	CompletableFuture<SubscribeScript.Registration> declare(String topic, String group, GroupFilter filter) {
		return this.topics.scripts()
			.subscribe()
			.run(topic, group, this.topicSettings.getOrDefault(topic, TopicSettings.DEFAULT).groupExpiry(),
					DeclaredFilter.now(filter));
	}

	/**
	 * Begins a bundle.
	 * @param callback the name of its callback, and of itself
	 * @param messages the first ones
	 * @param closes whether it is closed at once
	 */
	CompletableFuture<BundleScript.Result> open(String queue, String callback, List<NextMessage> messages,
			boolean closes) {
		List<BundleCommand> all = new ArrayList<>();
		all.add(BundleCommand.open(callback, Duration.ofMinutes(1), callback, CODEC.writeBeginning(Map.of()),
				BundleCommand.Wants.NOTHING));
		all.add(adding(queue, callback, messages));
		if (closes) {
			all.add(BundleCommand.close(callback));
		}
		return bundle(queue, all);
	}

	/**
	 * Adds to a bundle, and closes it.
	 */
	CompletableFuture<BundleScript.Result> close(String queue, String callback, List<NextMessage> messages) {
		return bundle(queue, List.of(adding(queue, callback, messages), BundleCommand.close(callback)));
	}

	private static BundleCommand adding(String queue, String bundle, List<NextMessage> messages) {
		boolean direct = messages.stream().map(NextMessage::message).allMatch(Application::isDirect);
		BundleMembership membership = new BundleMembership(queue, bundle);
		return BundleCommand.add(bundle,
				messages.stream()
					.map((next) -> new BundleCommand.NewMember(
							new NextMessage(next.queue(), next.message().inBundle(membership), null), direct))
					.toList());
	}

	/**
	 * Returns whether a message comes to its queue in the step that adds it to a bundle,
	 * as {@code BundleTemplate} decides.
	 */
	private static boolean isDirect(NewMessage message) {
		return (message.keys() == null || message.keys().orderingKey() == null)
				&& !EnvelopeCodec.expires(message.envelope());
	}

	private CompletableFuture<BundleScript.Result> bundle(String queue, List<BundleCommand> commands) {
		return this.bundles.submit(queue, commands, true).whenComplete((reply, failure) -> {
			if (failure == null && reply.follows()) {
				relay(queue);
			}
		});
	}

	/**
	 * Runs an action once for a key.
	 */
	CompletableFuture<Idempotency.Outcome> once(String key, Duration window,
			Supplier<CompletableFuture<Object>> action) {
		return this.idempotency.tryOnceAsync(key, window, action);
	}

	/**
	 * Commands something.
	 */
	CompletableFuture<CommandReply.Result> command(String queue, MessageCommand command) {
		return CommandBatcher.send(List.of(command), (some) -> this.commands.submit(queue, some, true))
			.thenApply((results) -> results.get(0));
	}

	/**
	 * Is killed.
	 */
	void kill() {
		this.threads.kill();
		this.wakeUps.disconnect();
	}

	/**
	 * The connections to the server were cut.
	 */
	void reconnect() {
		this.wakeUps.reconnect();
		this.scripts.availability().check();
	}

	/**
	 * What instances are in.
	 *
	 * @param scripts gives the text of a script another form
	 * @param poll how often a lane looks that no wake-up reaches
	 * @param partitions the queues that have several
	 * @param topics what is configured for topics
	 * @param horizon how far away messages must be that are packed
	 */
	record World(SimulatedServer server, SimulatedNetwork network, UnaryOperator<String> scripts, Duration poll,
			DoubleSupplier jitter, Map<String, QueuePartitions.Settings> partitions, Map<String, TopicSettings> topics,
			Duration horizon) {
	}

	/**
	 * What an instance notices.
	 */
	interface Events {

		void wentBack(Rollback rollback);

		void violated(String words);

	}

}
