package io.redelay.queue.admin.engine;

import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Collectors;

import io.redelay.log.PlainLog;
import io.redelay.queue.admin.ListenedQueue;
import io.redelay.queue.admin.engine.instance.InstanceDirectory;
import io.redelay.queue.event.QueueEvent;
import io.redelay.queue.limits.GroupName;
import io.redelay.queue.limits.PartitionName;
import io.redelay.queue.partition.QueuePartitions;
import io.redelay.queue.script.admin.AdminScripts;
import io.redelay.queue.script.admin.QueueNames;
import io.redelay.queue.script.admin.QueueRound;
import io.redelay.scheduling.RegularTask;
import io.redelay.scheduling.Scheduler;
import org.apache.commons.logging.Log;

/**
 * Forgets the names of queues of a server that were empty for long enough. Of all
 * instances with the same settings one looks, as long as it renews its turn. If it dies,
 * another one takes the turn, and first ends the removals that were begun. Does nothing
 * before it is started.
 * <p>
 * A queue is left alone while some instance announces a listener to it. Groups of topics
 * are left alone, too; they have a time to live of their own.
 * <p>
 * Safe for use by many threads.
 *
 * @since 0.1.0
 */
public final class QueueForgetter implements AutoCloseable {

	private static final Log logger = PlainLog.of(QueueForgetter.class);

	/**
	 * As many instances as a server lists. If there may be more, it is unknown which
	 * queues have listeners, so all are left alone.
	 */
	private static final int MAX_INSTANCES = 1000;

	private static final CompletableFuture<Void> DONE = CompletableFuture.completedFuture(null);

	private final AdminScripts store;

	private final QueuePartitions partitions;

	private final InstanceDirectory instances;

	private final ForgetSettings settings;

	private final String owner;

	private final Scheduler scheduler;

	private final QueueRound round;

	private final RegularTask regular;

	private volatile boolean closed;

	/**
	 * Whether this instance has the turn, as far as it knows.
	 */
	private volatile boolean isTurn;

	private volatile long turnNanos;

	/**
	 * Creates a forgetter.
	 * @param store the store
	 * @param partitions which partitions queues have
	 * @param instances which listeners there are
	 * @param settings after what time queues are forgotten
	 * @param owner the name of this instance in the store
	 * @param scheduler when to look
	 */
	public QueueForgetter(AdminScripts store, QueuePartitions partitions, InstanceDirectory instances,
			ForgetSettings settings, String owner, Scheduler scheduler) {
		this.store = store;
		this.partitions = partitions;
		this.instances = instances;
		this.settings = settings;
		this.owner = owner;
		this.scheduler = scheduler;
		this.round = new QueueRound(scheduler,
				(failed) -> logger.warn("It was not looked whether there is nothing any more in " + failed));
		this.regular = new RegularTask(scheduler, settings.interval(), this::sweep,
				(failure) -> this.round.failed("any queue", failure));
	}

	/**
	 * Begins to look, unless it does already.
	 */
	public void start() {
		this.regular.start();
	}

	@Override
	public void close() {
		this.closed = true;
		this.regular.close();
	}

	private CompletableFuture<Void> sweep() {
		return takeTurn().thenCompose((own) -> own ? endBegun().thenCompose((ended) -> lookAtAll()) : DONE);
	}

	private CompletableFuture<Boolean> takeTurn() {
		return this.store.names()
			.takeTurn("forget:" + this.settings.digest(), this.owner, this.settings.interval().multipliedBy(3))
			.thenApply((own) -> {
				this.isTurn = own && !this.closed;
				this.turnNanos = this.scheduler.nanoTime();
				return this.isTurn;
			});
	}

	/**
	 * Renews the turn in time, as long as a round lasts.
	 */
	private CompletableFuture<Boolean> keepTurn() {
		boolean isFresh = this.scheduler.nanoTime() - this.turnNanos < this.settings.interval().toNanos();
		return (isFresh || !this.isTurn || this.closed) ? CompletableFuture.completedFuture(this.isTurn && !this.closed)
				: takeTurn();
	}

	private CompletableFuture<Void> endBegun() {
		return this.store.names()
			.begun()
			.thenCompose((all) -> QueueRound.each(all,
					(begun) -> this.partitions.ask(begun.queue())
						.thenCompose((partitions) -> this.store.names().forget(begun, partitions, this.owner))
						.thenAccept((forgotten) -> forgotten(begun.queue(), forgotten))))
			.exceptionally((failure) -> {
				this.round.failed("a queue that was being forgotten", failure);
				return null;
			});
	}

	private CompletableFuture<Void> lookAtAll() {
		return this.instances.ask().thenCompose((instances) -> {
			if (instances.size() >= MAX_INSTANCES) {
				return DONE;
			}
			Set<String> listened = InstanceDirectory.listened(instances)
				.map(ListenedQueue::queue)
				.collect(Collectors.toSet());
			return this.store.names().queues().thenCompose((names) -> {
				Map<String, Set<String>> queues = candidates(names, listened);
				return this.round.go(queues.keySet(), (queue) -> lookAt(queue, queues.getOrDefault(queue, Set.of())));
			});
		});
	}

	/**
	 * The registered partitions of queues that may be forgotten.
	 */
	private Map<String, Set<String>> candidates(Set<String> names, Set<String> listened) {
		Map<String, Set<String>> queues = new HashMap<>();
		for (String name : names) {
			String queue = PartitionName.queueOf(name);
			if (!GroupName.isGroup(queue) && !listened.contains(queue) && this.settings.of(queue) != null) {
				queues.computeIfAbsent(queue, (each) -> new TreeSet<>()).add(name);
			}
		}
		return queues;
	}

	private CompletableFuture<Void> lookAt(String queue, Set<String> registered) {
		Duration after = this.settings.of(queue);
		return keepTurn().thenCompose((own) -> {
			if (!own || after == null) {
				return DONE;
			}
			return this.partitions.ask(queue).thenCompose((known) -> {
				Set<String> all = new TreeSet<>(registered);
				all.addAll(known);
				return areDue(all, after).thenCompose((due) -> due ? forget(queue, List.copyOf(all)) : DONE);
			});
		});
	}

	/**
	 * Looks at all partitions, because each look notes since when a partition is empty.
	 */
	private CompletableFuture<Boolean> areDue(Set<String> all, Duration after) {
		CompletableFuture<Boolean> due = CompletableFuture.completedFuture(true);
		for (String partition : all) {
			due = due.thenCompose((before) -> this.store.names()
				.look(partition, after)
				.thenApply((look) -> before && look == QueueNames.Look.DUE));
		}
		return due;
	}

	private CompletableFuture<Void> forget(String queue, List<String> all) {
		return this.store.names()
			.forget(new QueueNames.Begun(queue, this.owner), all, this.owner)
			.thenAccept((forgotten) -> forgotten(queue, forgotten));
	}

	private void forgotten(String queue, boolean forgotten) {
		if (forgotten) {
			logger.info("The queue '" + queue + "' had no messages, listeners, settings or history for "
					+ "'redelay.queue.forget-after', and its name is forgotten");
			this.store.observers().changed(QueueEvent.Type.FORGOTTEN, queue, Instant.now(), 0, null);
		}
	}

}
