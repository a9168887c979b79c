package io.redelay.queue.admin.engine.instance;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;

import io.redelay.delivery.LockActivity;
import io.redelay.delivery.LockUse;
import io.redelay.log.PlainLog;
import io.redelay.queue.claim.QueueListenerContainer;
import io.redelay.queue.config.QueueListenerEndpointRegistry;
import io.redelay.queue.handle.ContainerSettings;
import io.redelay.queue.script.admin.AdminScripts;
import io.redelay.scheduling.ScheduledTask;
import io.redelay.scheduling.Scheduler;
import org.apache.commons.logging.Log;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.json.JsonMapper;

import org.springframework.context.SmartLifecycle;

/**
 * Writes to each server what this instance does there every five seconds, and at once
 * when a listener starts or stops, for
 * {@link io.redelay.queue.admin.QueueInspector#instances} and
 * {@link io.redelay.queue.admin.QueueInspector#diagnose}. Does nothing in an application
 * that has no listeners and no inlets, and has asked for no lock. With more than two
 * hundred listeners it writes less often, because the description is longer.
 *
 * @since 0.1.0
 */
public final class InstanceAnnouncer implements SmartLifecycle {

	/**
	 * Starts before the listeners and stops after them, so they are announced until they
	 * have stopped.
	 */
	static final int PHASE = DEFAULT_PHASE - 1000;

	private static final Log logger = PlainLog.of(InstanceAnnouncer.class);

	private static final Duration INTERVAL = Duration.ofSeconds(5);

	private static final int LISTENERS_AN_INTERVAL = 200;

	private static final int MAX_LOCKS = 100;

	private static final Duration LONGEST_LEASE = Duration.ofMinutes(10);

	private static final Duration LONGEST_FAREWELL = Duration.ofMillis(500);

	private final QueueListenerEndpointRegistry registry;

	private final Home home;

	private final ListenerDescriber listeners;

	private final @Nullable LockActivity locks;

	private final Scheduler scheduler;

	private final DescriptionWriter writer;

	private final InstanceKeys.Identity identity;

	private final Set<String> inlets;

	private final Instant startedAt = Instant.now();

	private final long startedNanos;

	/**
	 * Whether an announcement is scheduled to run at once.
	 */
	private final AtomicBoolean planned = new AtomicBoolean();

	private volatile boolean running;

	private boolean observes;

	private @Nullable ScheduledTask heartbeat;

	/**
	 * The servers that have an announcement, by the name of this instance there.
	 */
	private final Map<String, AdminScripts> announced = new HashMap<>();

	private final AnnouncementSequencer sequencer = new AnnouncementSequencer();

	/**
	 * Creates an announcer.
	 * @param registry knows the listeners
	 * @param home the server on which locks are announced
	 * @param work what the handlers did lately
	 * @param locks which locks are held and waited for, if locks are used
	 * @param scheduler runs the announcements
	 * @param mapper writes the description
	 * @param identity what readers know this instance by
	 * @param inlets the queues of its home whose inlets this instance takes over
	 */
	public InstanceAnnouncer(QueueListenerEndpointRegistry registry, Home home, RecentWork work,
			@Nullable LockActivity locks, Scheduler scheduler, JsonMapper mapper, InstanceKeys.Identity identity,
			Set<String> inlets) {
		this.registry = registry;
		this.home = home;
		this.listeners = new ListenerDescriber(work, locks);
		this.locks = locks;
		this.scheduler = scheduler;
		this.startedNanos = scheduler.nanoTime();
		this.writer = new DescriptionWriter(mapper);
		this.identity = identity;
		this.inlets = Set.copyOf(inlets);
	}

	@Override
	public synchronized void start() {
		if (this.running) {
			return;
		}
		this.running = true;
		if (!this.observes) {
			this.observes = true;
			this.registry.onChange(this::announceNow);
			if (this.locks != null) {
				this.locks.onFirstUse(this::announceNow);
			}
		}
		if (!this.registry.getContainers().isEmpty() || !this.inlets.isEmpty()) {
			announceNow();
		}
	}

	@Override
	public void stop() {
		List<CompletableFuture<Void>> farewells = new ArrayList<>();
		synchronized (this) {
			this.running = false;
			if (this.heartbeat != null) {
				this.heartbeat.cancel();
				this.heartbeat = null;
			}
			this.announced.forEach((instance, store) -> farewells.add(this.sequencer.announceLast(instance,
					() -> new InstanceKeys(store.runner()).announce(instance, "", INTERVAL, this.identity))));
			this.announced.clear();
		}
		try {
			CompletableFuture.allOf(farewells.toArray(CompletableFuture[]::new))
				.get(LONGEST_FAREWELL.toMillis(), TimeUnit.MILLISECONDS);
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
		}
		catch (ExecutionException | TimeoutException ex) {
			logger.debug("The other instances got no note that this one ends; they find out by themselves", ex);
		}
	}

	@Override
	public boolean isRunning() {
		return this.running;
	}

	@Override
	public int getPhase() {
		return PHASE;
	}

	/**
	 * Announces soon, and regularly from then on. Changes until then go into the same
	 * announcement. Takes no lock, because the caller may hold some.
	 */
	private void announceNow() {
		if (this.running && this.planned.compareAndSet(false, true)
				&& this.scheduler.schedule(this::announceAll, Duration.ZERO) == null) {
			this.planned.set(false);
		}
	}

	private void announceAll() {
		this.planned.set(false);
		synchronized (this) {
			if (!this.running) {
				return;
			}
			if (this.heartbeat != null) {
				this.heartbeat.cancel();
			}
			this.heartbeat = this.scheduler.schedule(this::announceAll, interval());
			announce();
		}
	}

	private Duration interval() {
		return INTERVAL.multipliedBy(1 + this.registry.getContainers().size() / LISTENERS_AN_INTERVAL);
	}

	private void announce() {
		Map<String, List<QueueListenerContainer>> byInstance = new HashMap<>();
		for (QueueListenerContainer container : this.registry.getContainers()) {
			String instance = container.getRuntime().claims().scripts().instance();
			this.announced.put(instance, container.getRuntime().deadLetters().store());
			byInstance.computeIfAbsent(instance, (each) -> new ArrayList<>()).add(container);
		}
		if (!this.inlets.isEmpty() || (this.locks != null && this.locks.isUsed())) {
			this.announced.put(this.home.instance(), this.home.store());
		}
		this.announced
			.forEach((instance, store) -> announce(instance, store, byInstance.getOrDefault(instance, List.of())));
	}

	private void announce(String instance, AdminScripts store, List<QueueListenerContainer> containers) {
		try {
			Duration believed = interval().multipliedBy(3);
			Duration ttl = believed.plus(longestLease(containers));
			List<LockUse> uses = (this.locks != null && instance.equals(this.home.instance())) ? this.locks.uses()
					: List.of();
			int held = 0;
			for (LockUse use : uses) {
				held += use.held() ? 1 : 0;
			}
			Duration up = Duration.ofNanos(this.scheduler.nanoTime() - this.startedNanos);
			String description = this.writer.write(new InstanceDescription(this.identity.name(), this.startedAt,
					up.toMillis(), ttl.toMillis(), believed.toMillis(), this.home.client(),
					containers.stream().map(this.listeners::describe).toList(),
					new InstanceDescription.Locks(uses.subList(0, Math.min(MAX_LOCKS, uses.size())), held,
							uses.size() - held),
					(this.inlets.isEmpty() || !instance.equals(this.home.instance())) ? null : this.inlets, true));
			this.sequencer
				.announce(instance,
						() -> new InstanceKeys(store.runner()).announce(instance, description, ttl, this.identity),
						this::announceNow)
				.exceptionally(InstanceAnnouncer::notAnnounced);
		}
		catch (RuntimeException ex) {
			notAnnounced(ex);
		}
	}

	/**
	 * For how long lanes of this instance may live when it has ended: until then, others
	 * need to know what it was.
	 */
	private static Duration longestLease(List<QueueListenerContainer> containers) {
		Duration longest = Duration.ZERO;
		for (QueueListenerContainer container : containers) {
			for (ContainerSettings.QueueSettings queue : container.getSettings().queues().values()) {
				longest = (queue.leaseTime().compareTo(longest) > 0) ? queue.leaseTime() : longest;
			}
		}
		return (longest.compareTo(LONGEST_LEASE) < 0) ? longest : LONGEST_LEASE;
	}

	private static @Nullable Void notAnnounced(Throwable failure) {
		logger.debug("The other instances do not know yet what this one does, which is tried again", failure);
		return null;
	}

	/**
	 * The server on which an application announces its locks.
	 *
	 * @param instance the name of this instance there
	 * @param store the store of the server
	 * @param client the id by which Redis knows the locks of the client, if it is known
	 */
	public record Home(String instance, AdminScripts store, @Nullable String client) {

	}

}
