package io.redelay.queue.admin.engine;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.function.Predicate;

import io.redelay.queue.limits.PartitionName;
import io.redelay.queue.partition.QueuePartitions;
import io.redelay.queue.script.admin.QueueRound;

/**
 * How far away the due time of a message must be for it to be packed. Each time is 0, or
 * at least 5 minutes, which {@link #isPossible} says and is not checked here.
 *
 * @param horizon how far for all queues; 0 packs none
 * @param byQueue how far for single queues, by their names; 0 packs none
 * @param fewest how many messages are packed together at least, usually 20
 * @since 0.1.0
 */
public record FarSettings(Duration horizon, Map<String, Duration> byQueue, int fewest) {

	/**
	 * The shortest horizon but 0: messages are moved ahead of their time.
	 */
	public static final Duration SHORTEST = Duration.ofMinutes(5);

	private static final int FEWEST = 20;

	/**
	 * Copies the horizons of single queues.
	 */
	public FarSettings {
		byQueue = Map.copyOf(byQueue);
	}

	/**
	 * Creates settings with which fewer than 20 messages stay as they are, as packing
	 * them saves little.
	 * @param horizon how far for all queues; 0 packs none
	 * @param byQueue how far for single queues, by their names
	 */
	public FarSettings(Duration horizon, Map<String, Duration> byQueue) {
		this(horizon, byQueue, FEWEST);
	}

	/**
	 * Returns whether a horizon is possible.
	 * @param horizon the horizon
	 * @return whether it is 0 or long enough
	 */
	public static boolean isPossible(Duration horizon) {
		return horizon.isZero() || horizon.compareTo(SHORTEST) >= 0;
	}

	/**
	 * Returns the horizon of a queue.
	 * @param partition the name that the store has for a partition of it
	 * @return how far away the due time must be; 0 if none are packed
	 */
	Duration of(String partition) {
		return this.byQueue.getOrDefault(PartitionName.queueOf(partition), this.horizon);
	}

	/**
	 * Returns the queues whose messages this instance packs, or brings near: those that
	 * it listens to, and those for which it has a horizon of their own.
	 * @param partitions has the queues that it listens to. Redis is asked for partitions
	 * unless that was done within an interval
	 * @return the names that the store has for the partitions of these queues
	 */
	public CompletableFuture<List<String>> own(QueuePartitions partitions) {
		Set<String> queues = new HashSet<>(partitions.listenedTo());
		queues.addAll(this.byQueue.keySet());
		List<String> own = new ArrayList<>();
		return QueueRound.each(queues, (queue) -> partitions.ask(queue).thenAccept(own::addAll))
			.thenApply((asked) -> own);
	}

	/**
	 * Whether this instance packs the messages of a queue, and moves what is packed: it
	 * listens to it, or has a horizon of its own for it.
	 * @param partition the name that the store has for a partition of it
	 * @param listens whether this instance listens to a queue
	 */
	boolean isOwn(String partition, Predicate<String> listens) {
		String queue = PartitionName.queueOf(partition);
		return this.byQueue.containsKey(queue) || listens.test(queue);
	}

	/**
	 * Returns whether a queue has a horizon of its own that is not 0: its messages are
	 * packed here even if this instance only sends to it.
	 * @return whether there is one
	 */
	public boolean packsNamed() {
		return this.byQueue.values().stream().anyMatch((each) -> !each.isZero());
	}

	/**
	 * Returns how long before its time a packed message comes near.
	 */
	Duration lead(String partition) {
		return of(partition).dividedBy(2);
	}

}
