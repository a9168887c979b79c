package io.redelay.queue.claim;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import io.redelay.log.PlainLog;
import io.redelay.queue.AckMode;
import io.redelay.queue.deadletter.DeadLetterCourier;
import io.redelay.queue.deadletter.DeadLetterKeeper;
import io.redelay.queue.handle.ContainerSettings;
import io.redelay.queue.handle.Delivery;
import io.redelay.queue.handle.DeliveryContext;
import io.redelay.queue.handle.DeliveryDispatcher;
import io.redelay.queue.handle.DeliveryHandler;
import io.redelay.queue.handle.ListenerHandling;
import io.redelay.queue.handle.ReceiveRequests;
import io.redelay.queue.limits.GroupName;
import io.redelay.scheduling.Scheduler;
import org.apache.commons.logging.Log;
import org.jspecify.annotations.Nullable;

/**
 * Claims messages from one or more queues and has them handled, within its permits. Can
 * be stopped and started again.
 * <p>
 * Safe for use by many threads.
 *
 * @since 0.1.0
 */
public final class QueueListenerContainer {

	/**
	 * The shortest time allowed for giving back messages whose handlers still run.
	 */
	private static final Duration LEAST_GRACE = Duration.ofMillis(500);

	/**
	 * How much later a limit ends that was lost when the timer closed.
	 */
	private static final Duration AFTER_CLOSED_TIMER = Duration.ofSeconds(2);

	private static final String COME_BACK = "they come back when their lease has run out, as Redis does not answer";

	private static final Log logger = PlainLog.of(QueueListenerContainer.class);

	private volatile ContainerSettings settings;

	private final ListenerHandling handling;

	private final ListenerRuntime runtime;

	private final Object lifecycle = new Object();

	private volatile Permits permits;

	private volatile DeliveryDispatcher dispatcher;

	private volatile List<PollLoop> loops = List.of();

	private volatile @Nullable CompletableFuture<Void> stopping;

	private volatile CompletableFuture<Void> groupsRegistered = CompletableFuture.completedFuture(null);

	private final DispatcherFactory dispatchers;

	private volatile boolean paused;

	private volatile Runnable whenChanged = () -> {
	};

	private volatile DeadLetterKeeper deadLetters;

	private final Runnable partitionsChanged = this::listenToMore;

	/**
	 * The partitions that it listens to while it runs.
	 */
	private Set<String> partitions = Set.of();

	private @Nullable StrandedMessageDetector strandWatch;

	/**
	 * Creates a container that does not run yet.
	 * @param settings its settings
	 * @param handler handles the deliveries
	 * @param runtime the parts shared with other containers
	 */
	public QueueListenerContainer(ContainerSettings settings, DeliveryHandler handler, ListenerRuntime runtime) {
		this(settings, handler, runtime, (handling, permits, loops) -> handling.dispatcher(permits));
	}

	/**
	 * Creates a container that does not run yet.
	 * @param dispatchers creates a dispatcher at each start
	 */
	QueueListenerContainer(ContainerSettings settings, DeliveryHandler handler, ListenerRuntime runtime,
			DispatcherFactory dispatchers) {
		this.settings = settings;
		this.dispatchers = dispatchers;
		ClaimRuntime claims = runtime.claims();
		this.handling = new ListenerHandling(settings, handler, claims.scripts(), runtime.codec(), claims.scheduler(),
				runtime.handlers(), runtime.failures(), new DeadLetterCourier(runtime.deadLetters()));
		this.runtime = runtime;
		this.permits = new Permits(settings, runtime.claims().invariants());
		this.dispatcher = dispatchers.create(this.handling, this.permits, () -> this.loops);
		this.deadLetters = new DeadLetterKeeper(runtime.deadLetters());
	}

	/**
	 * Returns the container's name.
	 * @return the id of its listener
	 */
	public String getId() {
		return this.settings.id();
	}

	/**
	 * Returns the settings.
	 * @return the settings
	 */
	public ContainerSettings getSettings() {
		return this.settings;
	}

	/**
	 * Returns the parts shared with the other containers of its server.
	 * @return the runtime, the same for all containers of a factory
	 */
	public ListenerRuntime getRuntime() {
		return this.runtime;
	}

	/**
	 * Returns whether it claims messages.
	 * @return whether it was started and not stopped since
	 */
	public boolean isRunning() {
		return !this.loops.isEmpty();
	}

	/**
	 * Begins to claim; does nothing if it runs.
	 */
	public void start() {
		synchronized (this.lifecycle) {
			if (isRunning()) {
				return;
			}
			this.stopping = null;
			this.handling.start();
			this.permits = new Permits(this.settings, this.runtime.claims().invariants());
			this.dispatcher = this.dispatchers.create(this.handling, this.permits, () -> this.loops);
			this.partitions = new HashSet<>();
			this.deadLetters = new DeadLetterKeeper(this.runtime.deadLetters());
			this.loops = createLoops();
			this.runtime.claims().signals().wakeUps().join();
			this.strandWatch = new StrandedMessageDetector(this.settings, () -> this.loops,
					this.runtime.claims().scheduler());
			this.strandWatch.start();
			this.deadLetters.start();
			this.groupsRegistered = CompletableFuture.allOf(groups()
				.map((group) -> this.runtime.topics().join(group, this.settings.queue(group).filters().group()))
				.toArray(CompletableFuture[]::new));
		}
		this.loops.forEach(PollLoop::signal);
		watchPartitions();
		this.whenChanged.run();
	}

	private void watchPartitions() {
		synchronized (this.lifecycle) {
			if (isRunning()) {
				this.runtime.claims().partitions().subscribe(this.settings.queues().keySet(), this.partitionsChanged);
			}
		}
		// Partitions found before the subscription were not announced to this container.
		listenToMore();
	}

	/**
	 * Listens to partitions that another instance has added.
	 */
	private void listenToMore() {
		List<PollLoop> more;
		synchronized (this.lifecycle) {
			if (!isRunning()) {
				return;
			}
			more = createLoops();
			this.loops = Stream.concat(this.loops.stream(), more.stream()).toList();
		}
		more.forEach(PollLoop::signal);
	}

	/**
	 * Creates the loops on partitions that have none yet, and starts to manage the dead
	 * messages there.
	 */
	private List<PollLoop> createLoops() {
		ClaimRuntime claims = this.runtime.claims();
		List<PollLoop> created = new ArrayList<>();
		this.settings.queues().forEach((queue, each) -> {
			List<String> all = claims.partitions().of(queue);
			for (String partition : all) {
				if (this.partitions.add(partition)) {
					claims.signals().safetyPoll().join();
					created.addAll(createLoops(this.handling.deliveries(queue, partition, all.size()), each));
				}
				this.deadLetters.add(partition, each.failures().deadLetters().share(all.size()), each.leaseTime());
			}
			if (each.failures().deadLetters().redrive() != null) {
				this.deadLetters.redrive(queue, all, each.failures().deadLetters().redrive(), each.leaseTime());
			}
			if (each.failures().deadLetters().source() != null) {
				claims.partitions()
					.of(each.failures().deadLetters().source())
					.forEach((source) -> this.deadLetters.addSource(source, queue, each.leaseTime()));
			}
		});
		this.permits.share(this.partitions.size());
		if (this.paused) {
			created.forEach(PollLoop::pause);
		}
		return List.copyOf(created);
	}

	/**
	 * Creates the loops on one partition: one, followed by one that helps it while
	 * handlers run side by side. There is no helping loop for batches, for limited
	 * claims, or for receivers, which wait for the first message of the queue.
	 */
	private List<PollLoop> createLoops(DeliveryContext context, ContainerSettings.QueueSettings queue) {
		ClaimRuntime claims = this.runtime.claims();
		boolean alone = this.settings.batch().size() > 1 || queue.limits().isLimited()
				|| this.dispatcher instanceof ReceiveRequests;
		PollLoop help = alone ? null : createLoop(context, queue, new PollTrigger(), null);
		PollLoop leading = createLoop(context, queue,
				new LeadingTrigger(claims.signals().safetyPoll(), claims.signals().idle()::isUseful), help);
		return (help != null) ? List.of(leading, help) : List.of(leading);
	}

	private PollLoop createLoop(DeliveryContext context, ContainerSettings.QueueSettings queue, PollTrigger trigger,
			@Nullable PollLoop help) {
		return new PollLoop(context, queue, this.runtime, this.permits, this.dispatcher, trigger, help);
	}

	/**
	 * Claims no more until {@link #resume()} is called, and gives back the messages whose
	 * handling has not started, without counting an attempt. Running handlers finish.
	 * Holds for this container only, and across a stop and a start.
	 */
	public void pause() {
		synchronized (this.lifecycle) {
			this.paused = true;
			this.loops.forEach(PollLoop::pause);
		}
		this.whenChanged.run();
	}

	/**
	 * Claims again; does nothing if it is not paused.
	 */
	public void resume() {
		synchronized (this.lifecycle) {
			this.paused = false;
			this.loops.forEach(PollLoop::resume);
		}
		this.whenChanged.run();
	}

	/**
	 * Changes how many handlers run at the same time, also while it runs.
	 * @param min how many at least, if there is work, from 1
	 * @param max how many at most
	 * @throws IllegalArgumentException if it cannot have so many
	 */
	public void setConcurrency(int min, int max) {
		synchronized (this.lifecycle) {
			this.settings = this.settings.withConcurrency(min, max);
			this.permits.bound(min, max);
		}
		this.dispatcher.startMore();
		this.permits.signalRoom();
	}

	/**
	 * Returns how many messages it holds.
	 * @return the number, including messages that are being handled
	 */
	public int getHeld() {
		return isRunning() ? this.loops.stream().mapToInt((loop) -> loop.deliveries().all().size()).sum() : 0;
	}

	/**
	 * Returns when it was last given a message, or was started; {@code null} if it does
	 * not run.
	 */
	@Nullable Long lastGivenNanos() {
		return this.loops.stream()
			.map(PollLoop::lastGivenNanos)
			.reduce((first, second) -> (second - first > 0) ? second : first)
			.orElse(null);
	}

	/**
	 * Returns its present state.
	 * @return its state
	 */
	public ContainerState getState() {
		Map<String, Boolean> gated = new HashMap<>();
		Map<String, ContainerState.Claims> claims = new HashMap<>();
		Map<String, Integer> inHands = new HashMap<>();
		List<PollLoop> now = this.loops;
		for (PollLoop loop : now) {
			int working = 0;
			for (Delivery delivery : loop.deliveries().all()) {
				working += delivery.isInHands() ? 1 : 0;
			}
			inHands.merge(loop.logicalQueue(), working, Integer::sum);
			gated.merge(loop.logicalQueue(), loop.isGated(), Boolean::logicalOr);
			claims.merge(loop.logicalQueue(), loop.claims(), ContainerState.Claims::and);
		}
		Map<String, String> waitsFor = new HashMap<>();
		if (!now.isEmpty() && this.settings.order().strict()) {
			this.settings.queues().keySet().forEach((queue) -> {
				String before = this.permits.waitsFor(queue);
				if (before != null) {
					waitsFor.put(queue, before);
				}
			});
		}
		DeliveryDispatcher present = this.dispatcher;
		return new ContainerState(!now.isEmpty(), this.paused, present.running(), present.waiting().size(), gated,
				claims, waitsFor, inHands);
	}

	/**
	 * Sets the action to run after it was started, stopped, paused or resumed.
	 * @param action must be quick, and not block
	 */
	public void onChange(Runnable action) {
		this.whenChanged = action;
	}

	/**
	 * Returns whether it was paused and not resumed since.
	 * @return whether it is paused
	 */
	public boolean isPaused() {
		return this.paused;
	}

	/**
	 * Claims no more, gives back messages whose handling has not started, and lets
	 * running handlers finish. At the limit, messages that are still handled are given
	 * back too, and another instance can claim them at once. A handler that runs on here
	 * can acknowledge its message while no other instance holds it. No attempt is
	 * counted.
	 * @param limit how long to wait for running handlers
	 * @return a future that completes when all is finished, or the limit is over
	 */
	public CompletableFuture<Void> stop(Duration limit) {
		List<PollLoop> stopped;
		synchronized (this.lifecycle) {
			CompletableFuture<Void> already = this.stopping;
			if (already != null || this.loops.isEmpty()) {
				return (already != null) ? already : CompletableFuture.completedFuture(null);
			}
			stopped = this.loops;
			this.loops = List.of();
			this.whenChanged.run();
			this.runtime.claims().partitions().unsubscribe(this.partitionsChanged);
			int joined = this.partitions.size();
			if (this.strandWatch != null) {
				this.strandWatch.stop();
			}
			DeadLetterKeeper keeper = this.deadLetters;
			Scheduler scheduler = this.runtime.claims().scheduler();
			long deadline = scheduler.nanoTime() + limit.toNanos();
			this.stopping = limit(
					CompletableFuture.allOf(stopped.stream().map(PollLoop::stop).toArray(CompletableFuture[]::new)),
					limit)
				.handle((done, failure) -> failure == null)
				.thenCompose(
						(finished) -> finished ? CompletableFuture.completedFuture(null) : handBack(stopped, limit))
				.thenRun(() -> left(joined))
				.thenCompose((left) -> limit(keeper.stop(), Duration.ofNanos(deadline - scheduler.nanoTime()))
					.exceptionally((failure) -> null))
				.thenCompose((stop) -> limit(
						CompletableFuture
							.allOf(groups().map(this.runtime.topics()::leave).toArray(CompletableFuture[]::new)),
						LEAST_GRACE)
					.exceptionally((failure) -> null));
			return this.stopping;
		}
	}

	/**
	 * Returns the queues of groups that it listens to.
	 */
	private Stream<String> groups() {
		return this.settings.queues().keySet().stream().filter(GroupName::isGroup);
	}

	/**
	 * Returns the registration of the groups of topics that it listens to. After it they
	 * get published messages.
	 * @return a future that completes when they are registered; at once if it has none,
	 * and not before the start
	 */
	public CompletableFuture<Void> groupsRegistered() {
		return this.groupsRegistered;
	}

	/**
	 * Gives back the messages that are still handled when the limit is over.
	 */
	private CompletableFuture<Void> handBack(List<PollLoop> stopped, Duration limit) {
		int running = this.permits.held();
		Duration grace = limit.dividedBy(10);
		CompletableFuture<Void> handedBack = CompletableFuture.allOf(this.handling.handBack(),
				CompletableFuture.allOf(stopped.stream().map(PollLoop::handBack).toArray(CompletableFuture[]::new)));
		return limit(handedBack, (grace.compareTo(LEAST_GRACE) > 0) ? grace : LEAST_GRACE).handle((done, failure) -> {
			boolean allSent = failure == null && stopped.stream().allMatch(PollLoop::hasSentAll);
			if (running > 0) {
				boolean acknowledged = this.settings.ackMode() == AckMode.BEFORE_HANDLING;
				String outcome = acknowledged ? "they were acknowledged before, and are not delivered again"
						: allSent ? "they are given back, with no attempt counted" : COME_BACK;
				logger.warn("The listener '" + getId() + "' stopped while " + running
						+ " message(s) were still handled: " + outcome);
			}
			else if (!allSent) {
				logger.warn("The listener '" + getId() + "' stopped before it could settle in Redis the last messages"
						+ " that it had handled or given back: " + COME_BACK);
			}
			return null;
		});
	}

	/**
	 * Limits a part of the stop, by a timer that is never closed too. A context that does
	 * not wait for the stop closes the other timer, and a caller that waits for the stop
	 * would wait for ever.
	 */
	private CompletableFuture<Void> limit(CompletableFuture<Void> part, Duration limit) {
		Duration atLeast = limit.isNegative() ? Duration.ZERO : limit;
		Scheduler scheduler = this.runtime.claims().scheduler();
		return scheduler.unclosed().limit(scheduler.limit(part, limit), atLeast.plus(AFTER_CLOSED_TIMER));
	}

	private void left(int joined) {
		IntStream.range(0, joined).forEach((partition) -> this.runtime.claims().signals().safetyPoll().leave());
		this.runtime.claims().signals().wakeUps().leave();
	}

	Permits permits() {
		return this.permits;
	}

	DeliveryDispatcher dispatcher() {
		return this.dispatcher;
	}

	/**
	 * Creates the dispatcher of a container.
	 */
	@FunctionalInterface
	interface DispatcherFactory {

		DeliveryDispatcher create(ListenerHandling handling, Permits permits, Supplier<List<PollLoop>> loops);

	}

}
