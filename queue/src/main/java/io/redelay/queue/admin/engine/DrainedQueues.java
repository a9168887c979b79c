package io.redelay.queue.admin.engine;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicLong;

import io.redelay.log.PlainLog;
import io.redelay.queue.event.QueueEvent;
import io.redelay.queue.limits.PartitionName;
import io.redelay.queue.partition.QueuePartitions;
import io.redelay.queue.script.ScriptObservers;
import io.redelay.queue.script.admin.AdminScripts;
import io.redelay.queue.script.admin.CountScript;
import org.apache.commons.logging.Log;

/**
 * Publishes that the last living message of a queue has gone. A queue with several
 * partitions is drained when all of them are. If two of them become empty at the same
 * time, the instances that emptied them both find all partitions empty, and the one that
 * gets the turn publishes it.
 * <p>
 * Safe for use by many threads.
 *
 * @since 0.1.0
 */
public final class DrainedQueues {

	private static final Log logger = PlainLog.of(DrainedQueues.class);

	/**
	 * The shortest time between two events of a queue with several partitions.
	 */
	private static final Duration TURN = Duration.ofSeconds(1);

	private final ScriptObservers observers;

	private final AdminScripts store;

	private final QueuePartitions partitions;

	private final String owner;

	private final AtomicLong turns = new AtomicLong();

	/**
	 * Creates it.
	 * @param observers get the events
	 * @param store counts messages
	 * @param partitions which partitions queues have
	 * @param owner the name of this instance in the store
	 */
	public DrainedQueues(ScriptObservers observers, AdminScripts store, QueuePartitions partitions, String owner) {
		this.observers = observers;
		this.store = store;
		this.partitions = partitions;
		this.owner = owner;
	}

	/**
	 * Called when the last living message of a partition has gone. Does not block, and
	 * does not throw.
	 * @param partition the name that the store has for it
	 * @param time when
	 */
	public void drained(String partition, Instant time) {
		String queue = PartitionName.queueOf(partition);
		if (partition.equals(queue) && this.partitions.of(queue).size() == 1) {
			publish(queue, time);
			return;
		}
		try {
			this.partitions.ask(queue)
				.thenCompose(this::areEmpty)
				.thenCompose((empty) -> empty ? isTurn(queue) : CompletableFuture.completedFuture(false))
				.thenAccept((own) -> {
					if (own) {
						publish(queue, time);
					}
				})
				.exceptionally((failure) -> notLooked(queue, failure));
		}
		catch (RuntimeException ex) {
			notLooked(queue, ex);
		}
	}

	private CompletableFuture<Boolean> areEmpty(List<String> all) {
		CompletableFuture<Boolean> empty = CompletableFuture.completedFuture(true);
		for (String partition : all) {
			empty = empty
				.thenCompose((before) -> before ? this.store.count().run(partition).thenApply(DrainedQueues::isEmpty)
						: CompletableFuture.completedFuture(false));
		}
		return empty;
	}

	private static boolean isEmpty(CountScript.Counts counts) {
		CountScript.Messages messages = counts.messages();
		return messages.scheduled() + messages.ready() + messages.inFlight() == 0;
	}

	private CompletableFuture<Boolean> isTurn(String queue) {
		return this.store.names().takeTurn("drained:" + queue, this.owner + "/" + this.turns.incrementAndGet(), TURN);
	}

	private void publish(String queue, Instant time) {
		this.observers.changed(QueueEvent.Type.DRAINED, queue, time, 0, null);
	}

	private static Void notLooked(String queue, Throwable failure) {
		logger.debug("It is unknown whether the queue '" + queue + "' is drained", failure);
		return null;
	}

}
