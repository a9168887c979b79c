package io.redelay.queue.admin.engine;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.locks.ReentrantLock;
import java.util.stream.IntStream;

import io.redelay.log.PlainLog;
import io.redelay.queue.admin.QueueBackendException;
import io.redelay.queue.admin.QueueSnapshot;
import io.redelay.queue.admin.QueueSnapshots;
import io.redelay.queue.admin.engine.access.ExistingQueues;
import io.redelay.queue.admin.engine.access.StoreCalls;
import io.redelay.queue.admin.engine.instance.InstanceDirectory;
import io.redelay.queue.limits.PartitionName;
import io.redelay.queue.script.admin.AdminScripts;
import io.redelay.queue.script.admin.PartitionsKey;
import io.redelay.queue.script.admin.QueueRound;
import io.redelay.scheduling.Scheduler;
import org.apache.commons.logging.Log;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.json.JsonMapper;

/**
 * Looks at all queues and keeps the result for some seconds.
 *
 * @since 0.1.0
 */
public final class QueueSnapshotCache implements QueueSnapshots {

	private static final Log logger = PlainLog.of(QueueSnapshotCache.class);

	private static final Duration KEPT = Duration.ofSeconds(5);

	private static final Duration KEPT_A_QUEUE = Duration.ofMillis(10);

	/**
	 * The pause before the next request after Redis gave no answer.
	 */
	private static final Duration PAUSE = Duration.ofSeconds(5);

	/**
	 * How many queues are asked for in one go.
	 */
	private static final int AT_ONCE = 100;

	private final AdminScripts store;

	private final ExistingQueues known;

	private final InstanceDirectory instances;

	private final QueueDiagnoser diagnoser;

	private final Scheduler clock;

	private final QueueRound failures;

	private final ReentrantLock looking = new ReentrantLock();

	private volatile @Nullable Look last;

	private volatile long dueNanos;

	/**
	 * Creates a cache.
	 * @param store the store
	 * @param mapper reads the announcements of instances
	 */
	public QueueSnapshotCache(AdminScripts store, JsonMapper mapper) {
		this.store = store;
		this.known = new ExistingQueues(store);
		this.instances = new InstanceDirectory(store, mapper);
		this.diagnoser = new QueueDiagnoser(store);
		this.clock = store.replayMemory().scheduler();
		this.failures = new QueueRound(this.clock, (failed) -> logger.warn("It was not looked at " + failed));
	}

	@Override
	@SuppressWarnings("ReferenceEquality") // another look may have seen the same
	public Look latest() {
		Look seen = this.last;
		if (seen != null && this.clock.nanoTime() - this.dueNanos < 0) {
			return seen;
		}
		if (seen == null) {
			return StoreCalls.inTurn(this.looking, () -> {
				Look meanwhile = this.last;
				return (meanwhile != null) ? meanwhile : look(null);
			});
		}
		if (!this.looking.tryLock()) {
			return seen;
		}
		try {
			Look meanwhile = this.last;
			return (meanwhile != seen && meanwhile != null) ? meanwhile : look(seen);
		}
		finally {
			this.looking.unlock();
		}
	}

	private Look look(@Nullable Look before) {
		try {
			Look now = all(before);
			Duration perQueue = KEPT_A_QUEUE.multipliedBy(now.queues().size());
			this.dueNanos = this.clock.nanoTime() + ((perQueue.compareTo(KEPT) > 0) ? perQueue : KEPT).toNanos();
			this.last = now;
			return now;
		}
		catch (QueueBackendException ex) {
			if (before == null) {
				throw ex;
			}
			failed("all queues", ex);
			this.dueNanos = this.clock.nanoTime() + PAUSE.toNanos();
			return before;
		}
	}

	private void failed(String what, QueueBackendException failure) {
		Throwable cause = failure.getCause();
		if (!(cause instanceof InterruptedException)) {
			this.failures.failed(what, (cause != null) ? cause : failure);
		}
	}

	private Look all(@Nullable Look before) {
		Instant time = Instant.now();
		CompletableFuture<Map<String, PartitionsKey.Layout>> layouts = new PartitionsKey(this.store.runner()).list();
		CompletableFuture<InstanceDirectory.Announced> asked = this.instances.askAll();
		List<String> queues = new ArrayList<>(this.known.all());
		Map<String, PartitionsKey.Layout> layout = StoreCalls.await(layouts);
		InstanceDirectory.Announced instances = StoreCalls.await(asked);
		Map<String, QueueSnapshot> seen = new TreeMap<>();
		Set<String> failed = new TreeSet<>();
		for (int from = 0; from < queues.size(); from += AT_ONCE) {
			Map<String, CompletableFuture<QueueSnapshot>> looks = new LinkedHashMap<>();
			queues.subList(from, Math.min(queues.size(), from + AT_ONCE))
				.forEach((queue) -> looks.put(queue, this.diagnoser.glance(queue,
						partitions(queue, layout.getOrDefault(queue, PartitionsKey.Layout.SINGLE)), instances)));
			looks.forEach((queue, snapshot) -> {
				QueueSnapshot now = await(queue, snapshot);
				if (now == null) {
					failed.add(queue);
					now = (before != null) ? before.queues().get(queue) : null;
				}
				if (now != null) {
					seen.put(queue, now);
				}
			});
		}
		return new Look(time, seen, failed);
	}

	/**
	 * Waits for a snapshot. A queue that fails does not keep the look from the others.
	 * @return the snapshot, or {@code null} if the queue fails
	 */
	private @Nullable QueueSnapshot await(String queue, CompletableFuture<QueueSnapshot> snapshot) {
		try {
			return StoreCalls.await(snapshot);
		}
		catch (QueueBackendException ex) {
			if (!StoreCalls.isRefusal(ex)) {
				throw ex;
			}
			failed("the queue '" + queue + "'", ex);
			return null;
		}
	}

	private static List<String> partitions(String queue, PartitionsKey.Layout layout) {
		return IntStream.range(0, layout.partitions()).mapToObj((index) -> PartitionName.of(queue, index)).toList();
	}

}
