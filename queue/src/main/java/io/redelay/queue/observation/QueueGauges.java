package io.redelay.queue.observation;

import java.time.Duration;
import java.time.Instant;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.ToDoubleFunction;
import java.util.stream.Collectors;

import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.redelay.queue.admin.QueueBackendException;
import io.redelay.queue.admin.QueueFinding;
import io.redelay.queue.admin.QueueSnapshot;
import io.redelay.queue.admin.QueueSnapshots;
import io.redelay.scheduling.Scheduler;
import org.jspecify.annotations.Nullable;

/**
 * Gauges of each queue: how many messages it has, how old they are, and how many
 * instances consume. Redis is asked when the gauges are read, and not more often than
 * {@link QueueSnapshots} does. A reader waits for the answer, but not for long. While
 * Redis is away, the other meters of the application are still read, and these have no
 * value after two minutes.
 * <p>
 * Safe for use by many threads.
 *
 * @since 0.1.0
 */
public final class QueueGauges {

	/**
	 * The shortest time between two requests: one reader reads all gauges.
	 */
	private static final long PAUSE_NANOS = TimeUnit.SECONDS.toNanos(1);

	/**
	 * How long a reader waits.
	 */
	private static final Duration PATIENCE = Duration.ofSeconds(2);

	/**
	 * For how long a look is shown: longer than any pause between two looks, which grows
	 * with the number of queues.
	 */
	private static final Duration LIFETIME = Duration.ofMinutes(2);

	private static final Duration LIFETIME_OF_QUEUE = Duration.ofMillis(30);

	private final MeterRegistry registry;

	private final QueueSnapshots snapshots;

	private final QueueTags tags;

	private final MicrometerQueueMeter meter;

	private final Scheduler scheduler;

	/**
	 * The queues that have gauges.
	 */
	private final Set<String> gauges = new HashSet<>();

	/**
	 * The kinds of trouble that have gauges, by queue.
	 */
	private final Map<String, Set<QueueFinding.Kind>> troubles = new HashMap<>();

	/**
	 * Queues with other meters that looks do not show, and since when. A queue may be
	 * created while a look goes on. Messages in hand when a queue was deleted are
	 * measured after its gauges were removed.
	 */
	private final Map<String, Instant> unseen = new HashMap<>();

	private volatile Map<String, List<QueueSnapshot>> seen = Map.of();

	private volatile Instant shownUntil = Instant.EPOCH;

	private volatile long askAgainNanos;

	private @Nullable CompletableFuture<Void> asking;

	/**
	 * Registers the gauges.
	 * @param registry the registry
	 * @param snapshots looks at all queues
	 * @param tags the tags
	 * @param meter has the other meters of queues, which are removed when a queue is
	 * @param scheduler has the threads that wait for Redis
	 */
	public QueueGauges(MeterRegistry registry, QueueSnapshots snapshots, QueueTags tags, MicrometerQueueMeter meter,
			Scheduler scheduler) {
		this.registry = registry;
		this.snapshots = snapshots;
		this.tags = tags;
		this.meter = meter;
		this.scheduler = scheduler;
		this.askAgainNanos = scheduler.nanoTime();
		Gauge.builder("redelay.queues", this, QueueGauges::count)
			.description("How many queues there are")
			.register(registry);
	}

	private double count() {
		int queues = current().values().stream().mapToInt(List::size).sum();
		return isShown() ? queues : Double.NaN;
	}

	private double value(String queue, ToDoubleFunction<List<QueueSnapshot>> value) {
		List<QueueSnapshot> shown = current().get(queue);
		return (shown != null && isShown()) ? value.applyAsDouble(shown) : Double.NaN;
	}

	private boolean isShown() {
		return Instant.now().isBefore(this.shownUntil);
	}

	private Map<String, List<QueueSnapshot>> current() {
		if (this.scheduler.nanoTime() - this.askAgainNanos >= 0) {
			try {
				ask().get(PATIENCE.toMillis(), TimeUnit.MILLISECONDS);
			}
			catch (TimeoutException | ExecutionException ex) {
				// The last look is shown until it is too old.
			}
			catch (InterruptedException ex) {
				Thread.currentThread().interrupt();
			}
			this.askAgainNanos = this.scheduler.nanoTime() + PAUSE_NANOS;
		}
		return this.seen;
	}

	/**
	 * Looks at the queues, unless a look is under way.
	 */
	private synchronized CompletableFuture<Void> ask() {
		CompletableFuture<Void> present = this.asking;
		if (present != null && !present.isDone()) {
			return present;
		}
		CompletableFuture<Void> begun = new CompletableFuture<>();
		if (!this.scheduler.execute(() -> look(begun))) {
			begun.complete(null);
		}
		this.asking = begun;
		return begun;
	}

	private void look(CompletableFuture<Void> begun) {
		try {
			show(this.snapshots.latest());
		}
		catch (QueueBackendException ex) {
			// The last look is shown until it is too old.
		}
		finally {
			begun.complete(null);
		}
	}

	private synchronized void show(QueueSnapshots.Look look) {
		Map<String, List<QueueSnapshot>> shown = look.queues()
			.values()
			.stream()
			.collect(Collectors.groupingBy((snapshot) -> this.tags.queue(snapshot.queue())));
		Set<String> there = new HashSet<>(shown.keySet());
		look.failed().forEach((queue) -> there.add(this.tags.queue(queue)));
		Set<String> gone = new HashSet<>(this.gauges);
		gone.removeAll(there);
		this.seen = Map.copyOf(shown);
		this.shownUntil = look.time().plus(LIFETIME).plus(LIFETIME_OF_QUEUE.multipliedBy(look.queues().size()));
		gone.forEach(this::remove);
		removeUnseen(there, look.time());
		shown.keySet().stream().filter(this.gauges::add).forEach(this::register);
		shown.forEach((queue, all) -> all
			.forEach((each) -> each.diagnosis().trouble().ifPresent((finding) -> trouble(queue, finding.kind()))));
	}

	/**
	 * Registers the gauge of a kind of trouble, when the queue has it for the first time.
	 */
	private void trouble(String queue, QueueFinding.Kind kind) {
		if (this.troubles.computeIfAbsent(queue, (name) -> EnumSet.noneOf(QueueFinding.Kind.class)).add(kind)) {
			Gauge
				.builder("redelay.queue.trouble", this,
						(gauges) -> gauges.value(queue,
								(shown) -> shown.stream().mapToInt((each) -> urgency(each, kind)).max().orElse(0)))
				.tags(QueueTags.QUEUE, queue, "kind", kind.name().toLowerCase(Locale.ROOT))
				.description("2 while the diagnosis finds this and it is critical, 1 while it is a warning, else 0")
				.register(this.registry);
		}
	}

	private static int urgency(QueueSnapshot queue, QueueFinding.Kind kind) {
		QueueFinding trouble = queue.diagnosis().trouble().orElse(null);
		if (trouble == null || trouble.kind() != kind) {
			return 0;
		}
		return (trouble.severity() == QueueFinding.Severity.CRITICAL) ? 2 : 1;
	}

	private void removeUnseen(Set<String> shown, Instant time) {
		Set<String> measured = new HashSet<>(this.meter.queues());
		measured.removeAll(shown);
		this.unseen.keySet().retainAll(measured);
		for (String queue : measured) {
			Instant since = this.unseen.putIfAbsent(queue, Instant.now());
			if (since != null && time.isAfter(since)) {
				remove(queue);
			}
		}
	}

	private void remove(String queue) {
		this.gauges.remove(queue);
		this.troubles.remove(queue);
		this.unseen.remove(queue);
		this.meter.remove(queue);
	}

	private void register(String queue) {
		sum(queue, "redelay.queue.ready", "messages", "Messages that are due and wait", (each) -> each.info().ready());
		sum(queue, "redelay.queue.scheduled", "messages", "Messages that are not due yet",
				(each) -> each.info().scheduled());
		sum(queue, "redelay.queue.packed", "messages", "Messages that are packed, as they are due much later",
				(each) -> each.info().packed());
		gauge(queue, "redelay.queue.packed.late", "seconds", "How long the first packed message has been due",
				(shown) -> shown.stream().mapToDouble(QueueGauges::packedLate).max().orElse(0));
		sum(queue, "redelay.queue.inflight", "messages", "Messages that listeners have in hand",
				(each) -> each.info().inFlight());
		sum(queue, "redelay.queue.dead", "messages", "Messages that were given up and are kept",
				(each) -> each.info().dead());
		gauge(queue, "redelay.queue.oldest.ready.age", "seconds", "How long the oldest ready message has been due",
				(shown) -> shown.stream()
					.mapToDouble((each) -> each.info().oldestReadyAge().toMillis() / 1000.0)
					.max()
					.orElse(0));
		sum(queue, "redelay.queue.consumers", "instances", "Instances that consume the queue",
				(each) -> each.diagnosis().figures().consumers());
		sum(queue, "redelay.queue.permits.used", "handlers", "Handlers that run, in all instances",
				(each) -> each.diagnosis().figures().busy());
		sum(queue, "redelay.queue.permits.max", "handlers", "Handlers that may run, in all instances",
				(each) -> each.diagnosis().figures().concurrency());
		sum(queue, "redelay.queue.paused", null, "1 while the queue is paused, else 0",
				(each) -> each.info().paused() ? 1 : 0);
		sum(queue, "redelay.queue.behind", null, "1 while messages wait for longer than they should, else 0",
				(each) -> each.diagnosis().behind() ? 1 : 0);
	}

	private static double packedLate(QueueSnapshot queue) {
		Instant due = queue.info().nextDue();
		Instant now = queue.diagnosis().time();
		return (queue.info().packed() > 0 && due != null && due.isBefore(now))
				? Duration.between(due, now).toMillis() / 1000.0 : 0;
	}

	/**
	 * Registers a gauge whose value is a sum for the queues that share a name.
	 */
	private void sum(String queue, String name, @Nullable String unit, String description,
			ToDoubleFunction<QueueSnapshot> value) {
		gauge(queue, name, unit, description, (shown) -> shown.stream().mapToDouble(value).sum());
	}

	private void gauge(String queue, String name, @Nullable String unit, String description,
			ToDoubleFunction<List<QueueSnapshot>> value) {
		Gauge.builder(name, this, (gauges) -> gauges.value(queue, value))
			.tags(QueueTags.QUEUE, queue)
			.baseUnit(unit)
			.description(description)
			.register(this.registry);
	}

}
