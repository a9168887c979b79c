package io.redelay.autoconfigure;

import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CopyOnWriteArraySet;
import java.util.function.Supplier;

import io.micrometer.observation.ObservationRegistry;
import io.redelay.queue.DuplicateListener;
import io.redelay.queue.InletListener;
import io.redelay.queue.LeaseLostEvent;
import io.redelay.queue.MessageBundles;
import io.redelay.queue.MessageRetryListener;
import io.redelay.queue.QueueGate;
import io.redelay.queue.QueueGates;
import io.redelay.queue.SendInterceptor;
import io.redelay.queue.TopicGroupEvent;
import io.redelay.queue.admin.QueueAdmin;
import io.redelay.queue.admin.engine.DrainedQueues;
import io.redelay.queue.admin.engine.ExpiredMessages;
import io.redelay.queue.admin.engine.ExpirySweeper;
import io.redelay.queue.admin.engine.ForgetSettings;
import io.redelay.queue.admin.engine.QueueAdminTemplate;
import io.redelay.queue.admin.engine.QueueForgetter;
import io.redelay.queue.admin.engine.QueueGateTemplate;
import io.redelay.queue.admin.engine.UnconsumedQueueReporter;
import io.redelay.queue.admin.engine.instance.InstanceDirectory;
import io.redelay.queue.admin.engine.message.EditRules;
import io.redelay.queue.bundle.BundleCancellation;
import io.redelay.queue.bundle.BundleEnds;
import io.redelay.queue.bundle.BundleSweeper;
import io.redelay.queue.config.QueueListenerContainerFactory;
import io.redelay.queue.event.MessageTransitions;
import io.redelay.queue.inlet.InletRuntime;
import io.redelay.queue.inlet.InletTakeover;
import io.redelay.queue.invariant.InvariantListener;
import io.redelay.queue.invariant.Invariants;
import io.redelay.queue.listener.ClaimRuntime;
import io.redelay.queue.listener.HandlerRuntime;
import io.redelay.queue.listener.ListenerRuntime;
import io.redelay.queue.listener.LocalGates;
import io.redelay.queue.listener.OutboxRelays;
import io.redelay.queue.listener.SuspectAdmission;
import io.redelay.queue.listener.WakeUps;
import io.redelay.queue.listener.deadletter.DeadLetterBounds;
import io.redelay.queue.listener.deadletter.DeadLetterEvents;
import io.redelay.queue.listener.deadletter.DeadLetterRuntime;
import io.redelay.queue.listener.failure.FailureRuntime;
import io.redelay.queue.logging.MessageLog;
import io.redelay.queue.observation.QueueProcessConvention;
import io.redelay.queue.observation.QueueSendConvention;
import io.redelay.queue.observation.RollbackReporter;
import io.redelay.queue.partition.QueuePartitions;
import io.redelay.queue.recurring.engine.RecurringMaintenance;
import io.redelay.queue.recurring.engine.RecurringEngine;
import io.redelay.queue.recurring.engine.RecurringReporter;
import io.redelay.queue.send.AwaitedResults;
import io.redelay.queue.send.BundleTemplate;
import io.redelay.queue.send.NextMessageRelay;
import io.redelay.queue.send.QueueTemplate;
import io.redelay.queue.send.SendSettings;
import io.redelay.queue.store.DelayQueueStore;
import io.redelay.queue.store.DeletionWatch;
import io.redelay.queue.store.EnvelopeCodec;
import io.redelay.queue.store.FailedAttemptCodec;
import io.redelay.queue.store.QueueAdminStore;
import io.redelay.queue.store.RecurringStore;
import io.redelay.queue.store.ReplayMemory;
import io.redelay.queue.store.Uids;
import io.redelay.queue.store.redis.RedisAvailability;
import io.redelay.queue.store.redis.RedisDelayQueueStore;
import io.redelay.queue.store.redis.RedisQueueAdminStore;
import io.redelay.queue.store.redis.RedisRecurringStore;
import io.redelay.queue.topic.TopicGroups;
import io.redelay.redisson.ClosedConnectionHook;
import io.redelay.scheduling.QueueThreads;
import io.redelay.scheduling.SafetyPoll;
import io.redelay.template.MessageTemplates;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;
import org.redisson.api.RedissonClient;
import tools.jackson.databind.json.JsonMapper;

import org.springframework.beans.factory.config.ConfigurableBeanFactory;
import org.springframework.context.ApplicationEventPublisher;
import org.springframework.core.task.SimpleAsyncTaskExecutor;
import org.springframework.messaging.converter.MessageConverter;
import org.springframework.util.function.SingletonSupplier;

/**
 * Creates all that is needed to use the queues of a Redis server, from the properties of
 * the application and its beans: converter, threads, conventions and listeners. The beans
 * of the application's own server come from it; an application with several servers gets
 * a {@link QueueServer} from it for each of the others.
 *
 * @since 0.1.0
 */
public final class QueueServerFactory implements AutoCloseable {

	private static final Log logger = LogFactory.getLog(QueueServerFactory.class);

	private final ConfigurableBeanFactory beans;

	private final RedelayQueueProperties properties;

	private final QueueThreads threads;

	private final JsonMapper mapper = JsonMapper.shared();

	private final EnvelopeCodec codec = new EnvelopeCodec();

	private final ReplayMemory replayMemory;

	private final Map<RedissonClient, RedisAvailability> availabilities = new ConcurrentHashMap<>();

	private final Map<RedissonClient, QueueAdminStore> adminStores = new ConcurrentHashMap<>();

	private final BulkJobTakeover takeover = new BulkJobTakeover();

	private final Set<RecurringMaintenance> cares = new CopyOnWriteArraySet<>();

	private final Map<RedissonClient, Supplier<RecurringEngine>> recurring = new ConcurrentHashMap<>();

	private final Map<DelayQueueStore, OutboxRelays> outboxes = new ConcurrentHashMap<>();

	private final Map<QueueAdminStore, QueuePartitions> partitions = new ConcurrentHashMap<>();

	private final Map<DelayQueueStore, TopicGroups> topicGroups = new ConcurrentHashMap<>();

	private final Map<QueueAdminStore, DrainedQueues> drained = new ConcurrentHashMap<>();

	private final SuspectAdmission suspects;

	private final ApplicationEventPublisher publisher;

	/**
	 * All servers share them, so that each gate is given one thing to call.
	 */
	private final SingletonSupplier<LocalGates> gates;

	private final MessageTransitions moves = new MessageTransitions();

	private final ServerMeters meters;

	private final List<Runnable> closings = new CopyOnWriteArrayList<>();

	/**
	 * Creates a factory. Beans are looked up when they are needed and no sooner, since
	 * they may need beans that the factory creates: a {@link MessageRetryListener} may
	 * send.
	 * @param beans the beans of the application
	 * @param properties the properties of the application
	 * @param threads the threads that all servers share
	 * @param publisher publishes the events of servers
	 */
	QueueServerFactory(ConfigurableBeanFactory beans, RedelayQueueProperties properties, QueueThreads threads,
			ApplicationEventPublisher publisher) {
		this.beans = beans;
		this.properties = properties;
		this.threads = threads;
		this.publisher = publisher;
		this.suspects = new SuspectAdmission(threads.scheduler());
		this.meters = new ServerMeters(threads.scheduler(), properties.stats().enabled());
		this.gates = SingletonSupplier
			.of(() -> new LocalGates(beans.getBeanProvider(QueueGate.class).orderedStream().toList(),
					threads.scheduler()));
		this.replayMemory = properties.replay()
			.toMemory(new RollbackReporter(new SimpleAsyncTaskExecutor("redelay-rollback-"), publisher),
					threads.scheduler());
	}

	/**
	 * The transitions of messages on all servers.
	 */
	MessageTransitions moves() {
		return this.moves;
	}

	/**
	 * The meters of the work of queues on all servers.
	 */
	ServerMeters meters() {
		return this.meters;
	}

	/**
	 * Creates the access to the queues of another server.
	 * @param redisson a client of the server; the caller shuts it down
	 * @return the server
	 */
	public QueueServer create(RedissonClient redisson) {
		DelayQueueStore store = store(redisson);
		QueueAdminStore adminStore = adminStore(redisson);
		Supplier<RecurringEngine> recurring = SingletonSupplier.of(() -> startedRecurring(redisson, store));
		this.recurring.put(redisson, recurring);
		return new QueueServer(() -> template(store, adminStore),
				() -> containerFactory(store, adminStore, recurring.get()), () -> admin(adminStore),
				() -> gates(adminStore), () -> recurring.get().messages(),
				(template) -> bundles(template, store, adminStore));
	}

	private RecurringEngine startedRecurring(RedissonClient redisson, DelayQueueStore store) {
		RecurringEngine engine = recurring(recurringStore(redisson, store));
		engine.care().start();
		this.closings.add(engine.care()::stop);
		return engine;
	}

	RecurringStore recurringStore(RedissonClient redisson, DelayQueueStore store) {
		RedisRecurringStore recurring = new RedisRecurringStore(redisson, this.properties.keyPrefix(),
				this.properties.resendTimeout(), this.threads.timer(), availability(redisson), store.instance());
		this.closings.add(recurring::close);
		return recurring;
	}

	/**
	 * Creates the recurring messages of the application's own server.
	 */
	RecurringEngine recurring(RedissonClient redisson, RecurringStore store) {
		RecurringEngine engine = recurring(store);
		this.recurring.put(redisson, () -> engine);
		return engine;
	}

	/**
	 * Adds missing ticks of the recurring messages of a queue, as something may have
	 * removed them.
	 */
	private CompletableFuture<?> putTicksBack(RedissonClient redisson, String queue) {
		Supplier<RecurringEngine> engine = this.recurring.get(redisson);
		return (engine != null) ? engine.get().care().putBack(queue) : CompletableFuture.completedFuture(null);
	}

	/**
	 * The watch of the recurring messages of a server, which are created later.
	 */
	private DeletionWatch deletions(RedissonClient redisson) {
		return new DeletionWatch() {

			@Override
			public CompletableFuture<Map<String, Long>> recurring(String queue) {
				return watch().recurring(queue);
			}

			@Override
			public void deleted(String queue, Map<String, Long> recurring) {
				watch().deleted(queue, recurring);
			}

			private DeletionWatch watch() {
				Supplier<RecurringEngine> engine = QueueServerFactory.this.recurring.get(redisson);
				return (engine != null) ? engine.get().deletion() : DeletionWatch.NONE;
			}

		};
	}

	private void putTicksBackSoon(RedissonClient redisson, String queue) {
		Supplier<RecurringEngine> engine = this.recurring.get(redisson);
		if (engine != null) {
			engine.get().care().putBackSoon(queue);
		}
	}

	private RecurringEngine recurring(RecurringStore store) {
		RecurringEngine engine = new RecurringEngine(store, this.codec, this.mapper,
				this.beans.getBean(QueueAutoConfiguration.MESSAGE_CONVERTER, MessageConverter.class),
				new RecurringReporter(this.threads.handlers(), this.publisher), this.threads.scheduler(),
				this.properties.recurrence().dropAfter(), this.properties::priorityAgeing);
		this.cares.add(engine.care());
		this.replayMemory.watch(engine.care()::redisIsBack);
		this.replayMemory.watch(() -> engine.repeatForgotten(this.replayMemory.duration()));
		return engine;
	}

	DelayQueueStore store(RedissonClient redisson) {
		RedisDelayQueueStore store = new RedisDelayQueueStore(redisson, this.properties.keyPrefix(),
				this.properties.resendTimeout(), this.threads.timer(), this.replayMemory, availability(redisson));
		this.closings.add(store::close);
		this.replayMemory.watch(store::redisIsBack);
		QueueAdminStore adminStore = adminStore(redisson);
		ExpirySweeper sweeper = sweeper(adminStore);
		BundleSweeper bundles = new BundleSweeper(redis(adminStore).bundles(),
				new BundleCancellation(redis(adminStore)), (queue) -> outboxes(store, adminStore).look(queue),
				this.threads.scheduler(), BundleSweeper.INTERVAL, BundleSweeper.QUIET);
		this.closings.add(bundles::close);
		store.onExpiringMessages(() -> {
			sweeper.start();
			bundles.start();
			this.takeover.work(adminStore);
			this.cares.forEach(RecurringMaintenance::activate);
		});
		store.tellMoves(this.moves);
		store.whenDrained(drained(adminStore)::drained);
		forgetQueues(store, adminStore);
		store.whenTicksGo((queue) -> putTicksBackSoon(redisson, queue));
		store.measure(this.meters.of(adminStore));
		return store;
	}

	/**
	 * The store of a bean that an application has in its place has neither topics nor
	 * inlets.
	 */
	private static RedisDelayQueueStore redis(DelayQueueStore store) {
		if (store instanceof RedisDelayQueueStore redis) {
			return redis;
		}
		throw new UnsupportedOperationException(
				"The store " + store.getClass().getName() + " has neither topics nor inlets");
	}

	private static RedisQueueAdminStore redis(QueueAdminStore store) {
		if (store instanceof RedisQueueAdminStore redis) {
			return redis;
		}
		throw new UnsupportedOperationException("The store " + store.getClass().getName() + " has no bundles");
	}

	private ExpirySweeper sweeper(QueueAdminStore store) {
		ExpiredMessages expired = new ExpiredMessages(store, this.codec, this.mapper, this.properties.toInstanceName());
		ExpirySweeper sweeper = new ExpirySweeper(store, expired, this.threads.scheduler(), ExpirySweeper.INTERVAL);
		this.closings.add(sweeper::close);
		return sweeper;
	}

	/**
	 * All that finds a queue drained shares one.
	 */
	private DrainedQueues drained(QueueAdminStore store) {
		return this.drained.computeIfAbsent(store,
				(key) -> new DrainedQueues(this.moves, key, partitions(key), Uids.instance()));
	}

	/**
	 * Forgets the names of queues that have nothing, if that is wanted.
	 */
	private void forgetQueues(DelayQueueStore store, QueueAdminStore adminStore) {
		ForgetSettings settings = this.properties.toForgetting();
		if (settings.isEnabled()) {
			QueueForgetter forgetter = new QueueForgetter(adminStore, partitions(adminStore),
					new InstanceDirectory(adminStore, this.mapper), settings, store.instance(),
					this.threads.scheduler());
			this.closings.add(forgetter::close);
			forgetter.start();
		}
	}

	/**
	 * All stores of a server share one, so that the log reports an outage once.
	 */
	private RedisAvailability availability(RedissonClient redisson) {
		return this.availabilities.computeIfAbsent(redisson, (client) -> {
			RedisAvailability availability = new RedisAvailability(this.threads.timer());
			availability.whenBack(this.replayMemory::checkAll);
			if (client.getConfig().getNettyHook() instanceof ClosedConnectionHook hook) {
				hook.onLostConnection(availability::check);
			}
			return availability;
		});
	}

	/**
	 * All that uses a client shares one.
	 */
	QueueAdminStore adminStore(RedissonClient redisson) {
		return this.adminStores.computeIfAbsent(redisson, (client) -> {
			RedisQueueAdminStore store = new RedisQueueAdminStore(client, this.properties.keyPrefix(),
					this.properties.resendTimeout(), this.threads.timer(), this.replayMemory, availability(client));
			store.tellMoves(this.moves);
			store.whenDrained((queue, time) -> drained(store).drained(queue, time));
			store.whenTicksGo((queue) -> putTicksBack(client, queue), (queue) -> putTicksBackSoon(client, queue));
			store.watchDeletions(deletions(client));
			store.measure(this.meters.of(store));
			this.closings.add(store::close);
			return store;
		});
	}

	/**
	 * All users of the queues of a server share one, so one request serves all.
	 */
	private QueuePartitions partitions(QueueAdminStore adminStore) {
		return this.partitions.computeIfAbsent(adminStore, (store) -> {
			QueuePartitions created = new QueuePartitions(store, this.properties.toPartitions(),
					this.threads.scheduler(), this.properties.safetyPollInterval().multipliedBy(2));
			this.replayMemory.watch(created::askAgain);
			this.closings.add(created::close);
			return created;
		});
	}

	/**
	 * All that publishes to a server or listens to its topics shares them.
	 */
	private TopicGroups topicGroups(DelayQueueStore store, QueueAdminStore adminStore) {
		return this.topicGroups.computeIfAbsent(store, (key) -> {
			TopicGroups created = new TopicGroups(() -> redis(store).topics(), this.properties.toTopics(),
					this.threads.scheduler(), this::publish, outboxes(store, adminStore)::look);
			this.replayMemory.watch(created::renewAll);
			this.closings.add(created::close);
			return created;
		});
	}

	private void publish(TopicGroupEvent event) {
		publish(event, "topic '" + event.topic() + "'");
	}

	private void publish(LeaseLostEvent event) {
		publish(event, "listener '" + event.listener() + "'");
	}

	private void publish(Object event, String concerned) {
		try {
			this.publisher.publishEvent(event);
		}
		catch (Throwable ex) {
			logger.warn("A listener to " + event.getClass().getSimpleName() + " failed, which changes nothing for the "
					+ concerned, ex);
		}
	}

	QueueTemplate template(DelayQueueStore store, QueueAdminStore adminStore) {
		MessageConverter converter = this.beans.getBean(QueueAutoConfiguration.MESSAGE_CONVERTER,
				MessageConverter.class);
		QueueTemplate template = new QueueTemplate(store, converter, this.codec,
				this.properties.toSendSettings(new MessageTemplates(this.beans)), partitions(adminStore),
				observations(), this.beans.getBeanProvider(QueueSendConvention.class).getIfAvailable(),
				this.threads.handlers(), this.beans.getBeanProvider(SendInterceptor.class).orderedStream().toList(),
				log());
		UnconsumedQueueReporter unheard = new UnconsumedQueueReporter(adminStore, this.threads.scheduler(),
				this.properties.send().tellUnheardAfter());
		template.setSendListener(unheard::sentTo);
		AwaitedResults results = new AwaitedResults(store, adminStore, partitions(adminStore), converter,
				new FailedAttemptCodec(this.mapper), this.threads.scheduler());
		template.setResults(results);
		this.closings.add(results::close);
		template.setTopicGroups(topicGroups(store, adminStore));
		return template;
	}

	/**
	 * Creates the takeover from inlets.
	 * @param template sends, if there are any inlets
	 */
	InletTakeover inlets(DelayQueueStore store, QueueAdminStore adminStore, Supplier<QueueTemplate> template) {
		return new InletTakeover(this.properties.toInlets(), () -> {
			DeadLetterRuntime dead = new DeadLetterRuntime(adminStore, store, this.codec, this.mapper,
					this.threads.scheduler(), new SafetyPoll(this.properties.safetyPollInterval()),
					this.beans.getBeanProvider(MessageRetryListener.class).orderedStream().toList(),
					new DeadLetterEvents());
			return new InletRuntime(redis(store).inlets(), template.get(), partitions(adminStore), this.codec,
					new FailedAttemptCodec(this.mapper), this.threads.scheduler(),
					this.beans.getBeanProvider(InletListener.class).orderedStream().toList(),
					this.properties.toInstanceName(), new DeadLetterBounds(dead));
		});
	}

	QueueListenerContainerFactory containerFactory(DelayQueueStore store, QueueAdminStore adminStore,
			RecurringEngine recurring) {
		WakeUps wakeUps = new WakeUps(store);
		if (store instanceof RedisDelayQueueStore redis) {
			redis.availability().countListeners(wakeUps::listeners);
		}
		ClaimRuntime claims = new ClaimRuntime(store, this.codec, this.threads.scheduler(), wakeUps,
				new SafetyPoll(this.properties.safetyPollInterval()), this.suspects, partitions(adminStore),
				outboxes(store, adminStore), this.gates.obtain(), invariants(), recurring.ticks(),
				this.properties.work().toSettings());
		HandlerRuntime handlers = new HandlerRuntime(this.threads.handlers(), this.threads.scheduler(), observations(),
				this.beans.getBeanProvider(QueueProcessConvention.class).getIfAvailable(), log(),
				this.beans.getBeanProvider(DuplicateListener.class).orderedStream().toList(),
				this.beans.getBean(QueueAutoConfiguration.MESSAGE_CONVERTER, MessageConverter.class),
				this.meters.of(adminStore));
		FailureRuntime failures = new FailureRuntime(this.properties.toInstanceName(), this.mapper,
				this.beans.getBeanProvider(MessageRetryListener.class).orderedStream().toList(),
				this.meters.of(adminStore));
		return new QueueListenerContainerFactory(new ListenerRuntime(claims, handlers, failures, adminStore,
				topicGroups(store, adminStore), (lost) -> this.threads.scheduler().execute(() -> publish(lost))));
	}

	/**
	 * All that uses the queues of a server shares one, so that an outbox is relayed once.
	 */
	private OutboxRelays outboxes(DelayQueueStore store, QueueAdminStore adminStore) {
		return this.outboxes.computeIfAbsent(store, (outboxes) -> {
			OutboxRelays created = new OutboxRelays(outboxes, this.threads.scheduler(),
					List.of(new NextMessageRelay(outboxes,
							this.properties.toSendSettings(new MessageTemplates(this.beans)), partitions(adminStore)),
							new BundleEnds(redis(adminStore).bundles(), this.mapper,
									(queue) -> outboxes(store, adminStore).look(queue)),
							new BundleCancellation(redis(adminStore))));
			this.replayMemory.watch(created::redisIsBack);
			return created;
		});
	}

	MessageBundles bundles(QueueTemplate template, DelayQueueStore store, QueueAdminStore adminStore) {
		OutboxRelays outboxes = outboxes(store, adminStore);
		return new BundleTemplate(template, this.codec, redis(adminStore).bundles(), outboxes::look);
	}

	QueueAdmin admin(QueueAdminStore store) {
		QueueAdminTemplate admin = new QueueAdminTemplate(redis(store), partitions(store), this.codec, this.mapper,
				this.properties.toInstanceName(),
				new TopicGroups(redis(store)::topics, Map.of(), this.threads.scheduler(), this::publish, (queue) -> {
				}), this.properties.toLengthLimits(), editRules(store), this.threads.scheduler());
		this.closings.add(admin::close);
		this.takeover.add(store, admin);
		return admin;
	}

	private EditRules editRules(QueueAdminStore store) {
		SendSettings settings = this.properties.toSendSettings(new MessageTemplates(this.beans));
		Map<String, Duration> ageings = new HashMap<>();
		settings.orders().forEach((queue, order) -> {
			if (order.priorityAgeing() != null) {
				ageings.put(queue, order.priorityAgeing());
			}
		});
		return new EditRules(settings.maxMessageSize(), Map.copyOf(ageings), partitions(store));
	}

	QueueGates gates(QueueAdminStore store) {
		return new QueueGateTemplate(store, partitions(store));
	}

	/**
	 * Ends all waiting for a Redis that does not answer, on all servers.
	 */
	@Override
	public void close() {
		this.replayMemory.close();
		this.availabilities.values().forEach(RedisAvailability::close);
		this.closings.forEach(Runnable::run);
	}

	private Invariants invariants() {
		InvariantListener listener = this.beans.getBeanProvider(InvariantListener.class).getIfAvailable();
		return (listener != null) ? new Invariants(listener) : Invariants.LOGGED;
	}

	private @Nullable MessageLog log() {
		return this.beans.getBeanProvider(MessageLog.class).getIfAvailable();
	}

	private ObservationRegistry observations() {
		return this.beans.getBeanProvider(ObservationRegistry.class).getIfAvailable(() -> ObservationRegistry.NOOP);
	}

}
